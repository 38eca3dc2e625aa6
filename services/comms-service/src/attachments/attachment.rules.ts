import { type Attachment, type Failure, mostAttachmentBytes } from '@ops/contracts/resources/communication';

/** A file as it is kept, but for its content. */
export interface StoredAttachment extends Attachment {
  communication_id: string | null;
  role: 'file' | 'html' | 'original';
  source: 'uploaded' | 'ingest' | 'provider';
}

export const toAttachment = ({ id, name, media_type, size, content_id, state, failure }: Attachment): Attachment => ({
  id,
  name,
  media_type,
  size,
  content_id,
  state,
  failure,
});

/** What a browser shows as a picture and nothing else. Anything it might run or render as a page is only downloaded. */
const pictures: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};

const bareType = (mediaType: string): string => (mediaType.split(';')[0] ?? '').trim().toLowerCase();

export const isPicture = (mediaType: string): boolean => Object.hasOwn(pictures, bareType(mediaType));

const isSound = (mediaType: string): boolean => bareType(mediaType).startsWith('audio/');

const isDocument = (mediaType: string): boolean => bareType(mediaType) === 'application/pdf';

/** Of which kind it is, of those that are shown; undefined: of none. */
const kindOf = (mediaType: string) => [isPicture, isSound, isDocument].find((isOne) => isOne(mediaType));

/** How files begin that a browser shows, or plays, and runs nothing of that reaches a page: at which byte stands what. */
const beginnings: [type: string, at: number, bytes: string][] = [
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF8'],
  ['image/webp', 8, 'WEBP'],
  ['audio/ogg', 0, 'OggS'],
  ['audio/mpeg', 0, 'ID3'],
  ['audio/mpeg', 0, '\xff\xfb'],
  ['audio/mpeg', 0, '\xff\xf3'],
  ['audio/aac', 0, '\xff\xf1'],
  ['audio/aac', 0, '\xff\xf9'],
  ['audio/mp4', 4, 'ftyp'],
  ['audio/wav', 8, 'WAVE'],
  ['application/pdf', 0, '%PDF-'],
];

/** So many bytes tell what a file is. */
export const bytesThatTell = 16;

/**
 * A picture, a recording or a PDF as what it is, where its sender calls it one and it begins like one; else bytes. Null: it is
 * not shown.
 */
export function shownType(mediaType: string, beginning: Buffer): string | null {
  const kind = kindOf(mediaType);
  const begins = beginning.subarray(0, bytesThatTell).toString('latin1');
  const [type] = beginnings.find(([, at, bytes]) => begins.startsWith(bytes, at)) ?? [];
  return kind !== undefined && type !== undefined && kind(type) ? type : null;
}

const nothingElse = "default-src 'none'";

/**
 * Should a browser be talked into showing a file that is to be saved, it runs nothing and reaches nothing. Its viewer of PDFs
 * runs in no sandbox: it is the browser's own, and for a page of ours to show in a frame.
 */
export const policyOf = (shown: string | null): string =>
  shown === 'application/pdf' ? `${nothingElse}; frame-ancestors 'self'` : `${nothingElse}; sandbox`;

/** Control characters would break a header; those that turn the direction make `exe.pdf` out of `fdp.exe`. */
const misleading = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** A name that is a name on every machine: no path, nothing hidden. */
export function fileName(name: string | null, mediaType: string): string {
  const last = (name ?? '').toWellFormed().replace(misleading, '').split(/[/\\]/).at(-1)?.trim() ?? '';
  const visible = last.replace(/^\.+/, '').slice(0, 255).toWellFormed();
  return visible || `file${endings[bareType(mediaType)] ?? ''}`;
}

/** Mail servers and the messaging app refuse them, and nobody is to open one that came from us. */
const programs =
  /\.(ade|adp|apk|appx|bat|cab|chm|cmd|com|cpl|dll|dmg|exe|hta|iso|jar|js|jse|lnk|mde|msc|msi|msp|ps1|reg|scr|sh|sys|vb|vbe|vbs|wsc|wsf|wsh)$/i;

/** Why a file of that name is not sent; undefined when it may be. */
export function reasonAgainstName(name: string): string | undefined {
  const [ending] = programs.exec(name.trim().replace(/[. ]+$/, '')) ?? [];
  return ending && `ends in ${ending.toLowerCase()}: programs are refused by those who would carry it`;
}

/** For photos and recordings, which the messaging app sends without a name. */
const endings: Record<string, string> = {
  ...Object.fromEntries(Object.entries(pictures).map(([type, ending]) => [type, `.${ending}`])),
  'application/pdf': '.pdf',
  'audio/aac': '.aac',
  'audio/amr': '.amr',
  'audio/mp4': '.m4a',
  'audio/mpeg': '.mp3',
  'audio/ogg': '.ogg',
  'message/rfc822': '.eml',
  'text/plain': '.txt',
  'text/vcard': '.vcf',
  'video/3gpp': '.3gp',
  'video/mp4': '.mp4',
};

/**
 * Whether these files are too much for one message: those of a mail go together, the messaging app gets them one by
 * one.
 */
export const tooMuch = (type: string, sizes: readonly number[]): boolean =>
  type === 'EMAIL' && sizes.reduce((sum, size) => sum + size, 0) > mostAttachmentBytes;

const minute = 60_000;
const delaysMs = [10_000, minute, 5 * minute, 30 * minute, 120 * minute, 360 * minute, 720 * minute];
/** About a day: a provider's outage is ridden out, and a file that is gone does not wait for ever. */
export const mostTries = delaysMs.length + 1;

export type FetchOutcome = { state: 'FAILED' } | { state: 'PENDING'; next_try_at: Date };

/** After the try of that number failed: once more later, or no more. */
export function afterFailure(tries: number, final: boolean, now: Date): FetchOutcome {
  const delay = delaysMs[tries - 1];
  if (final || delay === undefined) return { state: 'FAILED' };
  return { state: 'PENDING', next_try_at: new Date(now.getTime() + delay) };
}

/** Why a file could not be fetched; `final` when trying again by itself would change nothing. */
export class FetchError extends Error {
  override name = 'FetchError';
  readonly failure: Failure;
  readonly final: boolean;

  constructor(code: string, message: string, final: boolean, cause?: unknown) {
    super(message, { cause });
    this.failure = { code, message };
    this.final = final;
  }
}

export const tooLarge = (mostBytes: number): FetchError =>
  new FetchError('too_large', `The file is over ${Math.floor(mostBytes / 1024)} KiB, the most that is kept`, true);
