import type { PreviewTemplate, PutTemplate, Template } from '@ops/contracts/resources/alert-plan';
import type { Actor } from '@ops/contracts/roles';
import { audit } from '@ops/service-kit/auditing';
import type { Db, Trx } from '@ops/service-kit/database';
import { unprocessable } from '@ops/service-kit/errors';
import { type HistoryQuery, historyOf } from '@ops/service-kit/history';
import { requireMatch } from '@ops/service-kit/http-app';
import type { Deps } from '../deps.ts';
import { problemsOfSeveral, renderSeveral } from './several-words.rules.ts';
import type { TemplateKey } from './template-store.ts';
import * as store from './template-store.ts';
import { canonicalLocale, problemsOf, render, type Words } from './words.rules.ts';

export const listTemplates = async (db: Db): Promise<{ data: Template[] }> => ({ data: await store.allTemplates(db) });

export async function putTemplate(
  deps: Deps,
  trx: Trx,
  asked: TemplateKey,
  words: PutTemplate,
  actor: Actor,
  ifMatch: string | undefined,
): Promise<{ template: Template; created: boolean }> {
  const { subject, body } = words;
  refuse([...problemsOf({ subject, body }, asked.channel), ...problemsOfSeveralIn(words, asked)]);
  const key = keyOf(asked);
  const stored = await store.lockTemplate(trx, key);
  requireMatch(ifMatch, stored?.version);
  if (stored && isSame(stored, words)) return { template: stored, created: false };
  const write = stored ? store.updateTemplate : store.insertTemplate;
  const template = await write(trx, key, words, actor.sub, deps.now());
  // A twin wrote it while this one looked: now there is a row to lock.
  if (!template) return putTemplate(deps, trx, key, words, actor, ifMatch);
  await audit(trx, { subject: subjectOf(key), before: stored && wordsOf(stored), after: wordsOf(template) });
  return { template, created: !stored };
}

export const historyOfTemplate = (db: Db, asked: TemplateKey, query: HistoryQuery) =>
  historyOf(db, subjectOf(keyOf(asked)), query);

/** As it is kept, however its language was written. */
const keyOf = (asked: TemplateKey): TemplateKey => ({
  ...asked,
  locale: canonicalLocale(asked.locale) ?? refuseLocale(),
});

const subjectOf = ({ rung, channel, locale }: TemplateKey) =>
  ({ kind: 'template', id: `${rung}/${channel}/${locale}` }) as const;

const wordsOf = ({ subject, body, several }: Template) => ({ subject, body, several });

const isSame = (stored: Template, { subject, body, several }: PutTemplate): boolean =>
  stored.subject === subject &&
  stored.body === body &&
  (!several || (stored.several?.subject === several.subject && stored.several?.body === several.body));

const problemsOfSeveralIn = ({ several }: PutTemplate, { channel }: TemplateKey) =>
  several ? problemsOfSeveral(several, channel).map((one) => ({ ...one, path: `several.${one.path}` })) : [];

export function previewTemplate(key: TemplateKey, { subject, body, renewals, ...given }: PreviewTemplate): Words {
  const words = { subject, body };
  if (!renewals) {
    refuse(problemsOf(words, key.channel));
    return render(words, given, key.locale);
  }
  refuse(problemsOfSeveral(words, key.channel));
  const named = renewals.map((one) => ({ ...one, overdue: one.days < 0 }));
  return renderSeveral(words, { name: given.name, renewals: named }, key.locale, key.channel);
}

function refuse(problems: readonly { path: string; message: string }[]): void {
  if (problems.length > 0) throw unprocessable([...problems]);
}

function refuseLocale(): never {
  throw unprocessable([{ path: 'locale', message: 'is not a language tag' }]);
}
