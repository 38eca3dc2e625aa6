import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { unpacked } from './anywhere.ts';

const words = 'somebody of whom nothing is to be left';
const base64 = Buffer.from(words).toString('base64');
/** One stored file, as a packer writes it. */
function zipOf(text: string): Buffer {
  const head = Buffer.alloc(30);
  head.write('PK\x03\x04', 'latin1');
  head.writeUInt32LE(text.length, 18);
  return Buffer.concat([head, Buffer.from(text), Buffer.from('PK\x01\x02')]);
}

test.each<[string, string | Buffer]>([
  ['as it is', `x${words.toUpperCase()}y`],
  ['in base64', `{"a":"${base64}"}`],
  ['in base64 in lines', `${base64.slice(0, 20)}\r\n${base64.slice(20)}`],
  ['in base64 of base64', Buffer.from(base64).toString('base64')],
  ['quoted-printable', words.replaceAll('o', '=6F').replace('left', 'le=\r\nft')],
  ['as in an address', encodeURIComponent(words)],
  ['in gzip', gzipSync(words)],
  ['in gzip in base64', `"${gzipSync(words).toString('base64')}"`],
  ['in zip', zipOf(words)],
])('a text is found %s', (_, holding) => {
  expect(unpacked(Buffer.from(holding as string)).some((one) => one.includes(words))).toBe(true);
});
