import { buffer } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { unzipped } from '@ops/test-kit/unzipped';
import { type Entry, zipOf } from './archive-writer.ts';

const at = new Date('2026-03-01T12:00:00Z');

async function* from<T>(...all: T[]): AsyncGenerator<T> {
  yield* all;
}
const entry = (path: string, content: AsyncIterable<string | Buffer>, isText = true): Entry => ({
  path,
  content,
  isText,
});
const piece = Buffer.alloc(256 * 1024, 7);

test('what went in comes out, text and bytes, and empty ones too', async () => {
  const entries = [
    entry('a/ü.json', from('[', 'ä', ']')),
    entry('b.bin', from(Buffer.from([0, 255, 13])), false),
    entry('none', from()),
  ];
  const files = await unzipped(await buffer(zipOf(from(...entries), at)));
  expect([...files].map(([path, content]) => [path, content.toString('latin1')])).toEqual([
    ['a/ü.json', Buffer.from('[ä]').toString('latin1')],
    ['b.bin', '\x00\xff\r'],
    ['none', ''],
  ]);
});

test.each(['content', 'list'])(
  'should the %s of files fail midway, so does the archive, and what came of it is none',
  async (which) => {
    async function* failing(): AsyncGenerator<Buffer> {
      yield piece;
      throw new Error('gone');
    }
    async function* list(): AsyncGenerator<Entry> {
      yield entry('a', from('a'));
      if (which === 'list') throw new Error('gone');
      yield entry('b', failing(), false);
      yield entry('c', from('c'));
    }
    const came: Buffer[] = [];
    const read = async () => {
      for await (const bytes of zipOf(list(), at)) came.push(bytes);
    };
    await expect(read()).rejects.toThrow('gone');
    await expect(unzipped(Buffer.concat(came))).rejects.toThrow();
  },
);

test('no more is read than is taken, and nothing is left open when nobody takes any more', async () => {
  let read = 0;
  let closed = 0;
  async function* large(): AsyncGenerator<Buffer> {
    try {
      for (let n = 0; n < 400; n++) {
        read += 1;
        yield piece;
      }
    } finally {
      closed += 1;
    }
  }
  async function* list(): AsyncGenerator<Entry> {
    try {
      for (const path of ['a', 'b']) yield entry(path, large(), false);
    } finally {
      closed += 1;
    }
  }
  const archive = zipOf(list(), at);
  for (let taken = 0; taken < 2 * piece.length; ) taken += (await archive.next()).value?.length ?? 0;
  // Each stream between the two keeps some.
  expect(read).toBeLessThan(12);
  await archive.return(undefined);
  expect([read < 12, closed]).toEqual([true, 2]);
});
