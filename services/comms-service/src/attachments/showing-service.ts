import type { Db } from '@ops/service-kit/database';
import { notFound } from '@ops/service-kit/errors';
import { escapeHtml } from '@ops/service-kit/html';
import type { FileReply } from '@ops/service-kit/http-app';
import { rulesDigest } from '../html/rules-digest.ts';
import { MAIL_CSP, mostBytesShown, pageAround } from '../html/sanitise.rules.ts';
import type { Sanitise, Sanitised } from '../html/sanitise-client.ts';
import { requireRecord } from '../records/record-service.ts';
import { isPicture } from './attachment.rules.ts';
import * as store from './attachment-store.ts';

export type ShowHtml = (db: Db, communicationId: string) => Promise<FileReply>;

/** The HTML of a mail, made harmless once: whoever asks meanwhile waits for the same, and later it is a read. */
export function createShowing(sanitise: Sanitise): ShowHtml {
  const underWay = new Map<string, Promise<Sanitised>>();
  const makeOnce = (db: Db, communicationId: string, id: string): Promise<Sanitised> => {
    const made = underWay.get(id) ?? make(db, sanitise, communicationId, id).finally(() => underWay.delete(id));
    underWay.set(id, made);
    return made;
  };
  return async (db, communicationId) => {
    const record = await requireRecord(db, communicationId);
    const html = await store.findHtml(db, communicationId, rulesDigest);
    if (!html) throw nothingToShow();
    const shown = html.page ?? (await makeOnce(db, communicationId, html.id));
    return pageReply(typeof shown === 'object' ? shown.page : inPlainText(shown, record));
  };
}

const nothingToShow = () => notFound('This communication has no HTML version to show');

async function make(db: Db, sanitise: Sanitise, communicationId: string, id: string): Promise<Sanitised> {
  const html = await store.pieceOf(db, id, 0, mostBytesShown);
  if (!html) throw nothingToShow();
  const made = await sanitise({ html, pictures: await picturesOf(db, communicationId) });
  if (made !== 'busy')
    await store.keepPage(db, id, { page: made === 'too_much' ? null : made.page, rules: rulesDigest });
  return made;
}

/** One that is still to be fetched is named as well: what is kept stays true once it is there. */
async function picturesOf(db: Db, communicationId: string): Promise<Map<string, string>> {
  const files = await store.filesOf(db, communicationId);
  return new Map(
    files.flatMap(({ id, content_id, media_type }) =>
      content_id !== null && isPicture(media_type) ? [[content_id, `/ops/attachments/${id}`]] : [],
    ),
  );
}

const reasons = {
  too_much: 'This message is built in a way that cannot be made safe to show. Here is its text.',
  busy: 'Too many messages are being made safe to show at the moment. Here is its text; open it again a little later.',
};

/** What keeps its lines, and breaks those that are too long. */
const asWritten = 'white-space: pre-wrap';

const inPlainText = (
  because: keyof typeof reasons,
  { body, quoted }: { body: string; quoted: string | null },
): string =>
  pageAround(
    `<p><em>${reasons[because]}</em></p>\n<div style="${asWritten}">${escapeHtml([body, quoted ?? ''].join('\n\n').trim())}</div>`,
  );

const pageReply = (content: string): FileReply => ({
  content,
  mediaType: 'text/html; charset=utf-8',
  headers: {
    'Content-Security-Policy': MAIL_CSP,
    'Referrer-Policy': 'no-referrer',
    'X-Frame-Options': 'SAMEORIGIN',
  },
});
