import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { root } from './document.ts';
import { answers, answersPages, composeReadsTheFile, runs, stream, type Treatment } from './treatment.ts';

export const readme: Treatment[] = [
  { of: ['README.md', 'npm start'], run: async (_, reader) => answersPages(reader) },
  {
    of: ['README.md', 'npm test'],
    notRun: 'it is the gate before this',
    check: () => isScript('test', 'exec node packages/embedded/launcher/launch.mjs test'),
  },
  {
    of: ['README.md', 'npm run test:long'],
    notRun: 'it is what runs this',
    check: () => isScript('test:long', 'exec node packages/embedded/launcher/launch.mjs test --long'),
  },
  {
    of: ['README.md', 'npm run supply-chain'],
    notRun: 'a suite of its own runs each part of it',
    check: () =>
      isScript('supply-chain', 'exec node packages/embedded/launcher/launch.mjs run node test/supply-chain/run.ts'),
  },
  { of: ['README.md', 'TOKEN='], run: runs() },
  {
    of: ['README.md', 'curl -sX PUT localhost:8080/ops/customers/C-2001'],
    run: answers({ id: 'C-2001', phones: ['+41446681800'] }),
  },
  {
    of: ['README.md', 'curl -sX POST localhost:8080/ops/customers/C-2001/communications'],
    run: answers({ direction: 'INBOUND', unread: true }),
  },
  {
    of: ['README.md', 'curl -s localhost:8080/ops/customers/C-2001/communications'],
    run: answers({ data: [{ body: 'When does my permit expire?' }], unread_count: 1 }),
  },
  {
    of: ['README.md', 'curl -sX POST localhost:8080/ops/customers/C-2001/renewals'],
    run: answers({ status: 'UPCOMING', due_date: '2030-01-31' }),
  },
  {
    of: ['README.md', 'curl -sX POST "localhost:8080/ops/renewals/refresh?dry_run=true'],
    run: runs(({ out }) => {
      const { as_of, data } = JSON.parse(out);
      expect(as_of).toBe('2030-01-10');
      expect(data).toContainEqual(expect.objectContaining({ customer_id: 'C-2001', days_until_due: 21, fires: '30' }));
    }),
  },
  {
    of: ['README.md', 'curl -N'],
    run: stream(
      `curl -s localhost:8080/ops/customers/C-2001/communications -H "authorization: Bearer $TOKEN" \\
        -H 'content-type: application/json' -d '{"type": "EMAIL", "direction": "INBOUND", "body": "Hello"}'`,
      'COMMUNICATION_RECEIVED',
    ),
  },
  {
    of: ['README.md', 'npm run secrets && cp .env.example .env'],
    run: runs((_, { checkout }) => {
      for (const path of ['secrets/session_secret', 'secrets/smtp_url', '.env'])
        expect([path, existsSync(join(checkout, path))]).toEqual([path, true]);
    }),
  },
  {
    of: ['README.md', 'docker compose up --build --detach'],
    notRun: 'it takes Docker, and minutes; test/images looks at the file and at what goes into the images',
    check: composeReadsTheFile,
  },
];

async function isScript(name: string, command: string): Promise<void> {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  expect(scripts[name]).toBe(command);
}
