import { fileName } from '../attachments/attachment.rules.ts';

/** A file of a message, as the archive has it. */
export interface KeptFile {
  id: string;
  role: string;
  name: string | null;
  media_type: string;
}

/** Each in a folder of its own, so no two are in each other's way, whatever they are called. */
export const pathOfFile = ({ id, role, name, media_type }: KeptFile): string =>
  `files/${safeId(id)}/${role === 'html' ? 'message.html.txt' : nameOnDisk(fileName(name, media_type))}`;

export const pathOfBody = (id: string, contentType: string | null): string =>
  `webhook-ingest/bodies/${safeId(id)}${/\bjson\b/i.test(contentType ?? '') ? '.json' : '.txt'}`;

/** It came from another service, and is part of a path. */
function safeId(id: string): string {
  if (!/^[0-9a-f-]{36}$/.test(id)) throw new Error('an id that is none');
  return id;
}

/** Names of devices, which some systems take for those whatever comes after the dot. */
const device = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** As every system takes it: none of their signs, no end that one of them cuts off, not longer than they allow. */
export function nameOnDisk(name: string): string {
  const plain = name.replace(/[<>:"/\\|?*]/g, '_').replace(/[. ]+$/, '') || 'file';
  const dot = plain.lastIndexOf('.');
  const [stem, ending] = dot > 0 && plain.length - dot <= 12 ? [plain.slice(0, dot), plain.slice(dot)] : [plain, ''];
  return `${device.test(plain) ? '_' : ''}${cutTo(mostBytes - Buffer.byteLength(ending), stem)}${ending}`;
}

/** Of 255, with some to spare. */
const mostBytes = 200;

function cutTo(bytes: number, text: string): string {
  let cut = '';
  let left = bytes;
  for (const character of text) {
    left -= Buffer.byteLength(character);
    if (left < 0) break;
    cut += character;
  }
  return cut;
}

/** For whom it is saved under that name; no system takes a colon. */
export const nameOfArchive = (customerId: string, at: Date): string =>
  `customer-${customerId.replaceAll(':', '-')}-${at.toISOString().slice(0, 10)}.zip`;
