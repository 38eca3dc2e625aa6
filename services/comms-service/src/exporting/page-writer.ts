import { escapeHtml } from '@ops/service-kit/html';
import { pathOfBody, pathOfFile } from './names.rules.ts';

export type Row = Record<string, unknown>;

/** One kind of what is held, as the page has it. */
export interface Section {
  service: string;
  kind: string;
  title: string;
}

const style = `
  body { font: 15px/1.5 system-ui, sans-serif; color: #1c1e21; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
  h1, h2 { line-height: 1.2; } h2 { margin-top: 3rem; border-bottom: 1px solid #ccc; }
  article { margin: 1rem 0; padding: .5rem .75rem; border-left: 4px solid #bbb; background: #f6f7f8; }
  article.note { border-left-color: #d99000; background: #fff6dd; font-style: italic; }
  article.struck .words { text-decoration: line-through; }
  time, dt { color: #555; } dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; margin: 0; } dd { margin: 0; }
  .words, dd { white-space: pre-wrap; overflow-wrap: anywhere; }`;

/** Nothing in it runs, and nothing is fetched from anywhere. */
const head = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><style>${style}</style>`;

export const pageBegin = (customer: { id: string; name: string; aliases: readonly string[] }, at: string): string => {
  const title = `Everything held of ${customer.name}, ${customer.id}`;
  const also = customer.aliases.length > 0 ? `, also ${customer.aliases.join(', ')}` : '';
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>${head}</head>
<body><h1>${escapeHtml(title)}</h1>
<p>As it was on ${escapeHtml(at)}. Customer ${escapeHtml(customer.id + also)}. Times are in UTC. The same is beside this page as JSON, with the files; <a href="manifest.json">manifest.json</a> says what was taken from where.</p>
`;
};

export const contentsOf = (sections: readonly (Section & { rows: number })[]): string =>
  `<ul>${sections
    .map((one) => `<li><a href="#${anchorOf(one)}">${escapeHtml(one.title)}</a>: ${one.rows}</li>`)
    .join('')}</ul>\n`;

export const pageEnd = '</body></html>\n';

const anchorOf = ({ service, kind }: Section): string => escapeHtml(`${service}.${kind}`);

export const sectionBegin = (section: Section): string =>
  `<h2 id="${anchorOf(section)}">${escapeHtml(section.title)}</h2>\n`;

/** One row, in the order in which they come, which is that of time. */
export function articleOf({ service, kind }: Section, row: Row): string {
  if (service === 'comms-service' && kind === 'communications') return messageOf(row);
  const file = linkOf(service, kind, row);
  return `<article>${timeOf(row)}${file}${factsOf(row)}</article>\n`;
}

const channels: Record<string, string> = {
  MESSAGING_APP: 'Messaging app',
  EMAIL: 'E-mail',
  SMS: 'SMS',
  INTERNAL_NOTE: 'Internal note',
  CALL_LOG: 'Call',
};
const directions: Record<string, string> = { INBOUND: ', from them', OUTBOUND: ', to them' };

/** What stands in its words and heading is not told a second time. */
const toldApart = [
  'body',
  'quoted',
  'subject',
  'occurred_at',
  'attachments',
  'id',
  'customer_id',
  'type',
  'direction',
  'internal',
];

function messageOf(row: Row): string {
  const kind = `${channels[text(row.type)] ?? text(row.type)}${directions[text(row.direction)] ?? ''}`;
  const classes = [row.type === 'INTERNAL_NOTE' && 'note', row.struck === true && 'struck'].filter(Boolean).join(' ');
  const words = [row.subject, row.body, row.quoted].map(text).filter((said) => said !== '');
  const rest = Object.fromEntries(Object.entries(row).filter(([field]) => !toldApart.includes(field)));
  return `<article class="${classes}">${timeOf(row)} <strong>${escapeHtml(kind)}</strong>
${words.map((said) => `<p class="words">${escapeHtml(said)}</p>`).join('\n')}${filesOf(row)}
<details><summary>More of it</summary>${factsOf(rest)}</details></article>
`;
}

interface Attached {
  id: string;
  name: string | null;
  media_type: string;
  state: string;
}

function filesOf({ attachments }: Row): string {
  const files = (Array.isArray(attachments) ? attachments : []) as Attached[];
  if (files.length === 0) return '';
  const named = files.map((file) =>
    file.state === 'STORED'
      ? link(pathOfFile({ ...file, role: 'file' }), file.name ?? file.media_type)
      : escapeHtml(`${file.name ?? file.media_type} (${file.state.toLowerCase()})`),
  );
  return `<p>Files: ${named.join(', ')}</p>`;
}

function linkOf(service: string, kind: string, row: Row): string {
  if (service === 'comms-service' && kind === 'files' && row.state === 'STORED')
    return ` ${link(pathOfFile(row as never), text(row.name) || text(row.media_type))}`;
  if (service === 'webhook-ingest' && kind === 'webhook-deliveries' && row.body === 'theirs')
    return ` ${link(pathOfBody(text(row.id), row.content_type as string | null), 'As it was posted')}`;
  return '';
}

const link = (path: string, words: string): string =>
  `<a href="${escapeHtml(path.split('/').map(encodeURIComponent).join('/'))}"><bdi>${escapeHtml(words)}</bdi></a>`;

/** By which of its instants a row stands where it does. */
const instants = [
  'occurred_at',
  'at',
  'decided_at',
  'raised_at',
  'told_at',
  'merged_at',
  'held_at',
  'proposed_at',
  'started_at',
  'received_at',
  'failed_at',
  'created_at',
];

function timeOf(row: Row): string {
  const at = instants.map((field) => row[field]).find((one) => one != null);
  return at === undefined ? '' : `<time>${escapeHtml(text(at).slice(0, 19).replace('T', ' '))}</time>`;
}

const factsOf = (row: Row): string =>
  `<dl>${Object.entries(row)
    .filter(([, value]) => !isNothing(value))
    .map(([field, value]) => `<dt>${escapeHtml(field.replaceAll('_', ' '))}</dt><dd>${escapeHtml(text(value))}</dd>`)
    .join('')}</dl>`;

const isNothing = (value: unknown): boolean =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value as object).length === 0);

function text(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value, undefined, 1) : String(value);
}
