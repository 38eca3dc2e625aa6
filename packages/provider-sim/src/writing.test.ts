import { expect, test } from '@jest/globals';
import { openBook } from './book.ts';
import { createFaults } from './faults.ts';
import type { FileStore } from './file-store.ts';
import type { Fact } from './message.ts';
import { createOutbox } from './outbox.ts';
import type { Wire } from './wire.ts';
import { createWriting } from './writing.ts';

test('a mail is written only together with what tells the firm of it: killed at any point, there are both or neither', async () => {
  const facts: Fact[] = [];
  const book = openBook({ kept: [], append: (...more) => void facts.push(...more), close: () => undefined });
  const { id } = book.introduce({ name: 'Demo', phone: null, user_id: null, email: 'demo@example.com' });
  const keeping = Promise.withResolvers<void>();
  const files: Pick<FileStore, 'put'> = {
    put: (_bytes, { name, media_type }) => keeping.promise.then(() => ({ id: 'file', name, media_type, size: 1 })),
  };
  const hooks = { deliver: async () => undefined, waiting: () => 0, stop: () => undefined };
  const wire = {
    newExternalId: () => '<1@example.com>',
    wrote: async () => ({ url: 'http://127.0.0.1/', headers: {}, body: Buffer.from('mail') }),
  } as Partial<Wire> as Wire;
  const newId = () => String(facts.length);
  const writing = createWriting({
    book,
    faults: createFaults(),
    wires: { MESSAGING_APP: wire, SMS: wire, EMAIL: wire },
    newId,
    now: () => new Date(),
    background: (work: Promise<unknown>) => void work,
    outbox: createOutbox(book.record, hooks, files as FileStore, newId),
  });
  const written = writing.write(id, { channel: 'EMAIL', text: 'anybody there?' });
  await new Promise(setImmediate);
  expect(facts.map(({ fact }) => fact)).toEqual(['person']);
  keeping.resolve();
  await written;
  expect(facts.map(({ fact }) => fact)).toEqual(['person', 'message', 'hook']);
});
