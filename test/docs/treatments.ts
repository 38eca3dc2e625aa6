import { existsSync } from 'node:fs';
import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import { root } from './document.ts';
import type { Newcomer, Said } from './newcomer.ts';

/** What becomes of a command: it is run and its effect is looked at, or it is said why not, and what can be checked is. */
export type Treatment = { of: [document: string, begins: string] } & (
  | { notRun?: never; run(command: string, reader: Newcomer): Promise<unknown> }
  | { notRun: string; check(reader: Newcomer): Promise<unknown> }
);

/** Run in the checkout; it has to succeed, and what it printed is looked at. */
const runs =
  (look: (said: Said, reader: Newcomer) => unknown = () => undefined, folder: 'checkout' | 'elsewhere' = 'checkout') =>
  async (command: string, reader: Newcomer) => {
    const said = await reader.type(command, folder);
    expect(said).toMatchObject({ code: 0 });
    await look(said, reader);
  };

const answers = (expected: object) => runs(({ out }) => expect(JSON.parse(out)).toMatchObject(expected));

const renewals = 'curl -s localhost:8080/ops/customers/C-2001/renewals -H "authorization: Bearer $STAFF"';

/** By the call the document itself shows. */
const watched = (expected: object) => (_: Said, reader: Newcomer) =>
  eventually(async () => {
    const { out } = await reader.type(renewals);
    expect(JSON.parse(out).data).toContainEqual(expect.objectContaining(expected));
  });

const answersPages = async ({ url }: Newcomer) => expect((await fetch(url)).status).toBe(200);

/** Goes on hearing; what is said to it next is its own business. */
const stream = (tell: string, event: string) => async (command: string, reader: Newcomer) => {
  const heard = reader.leaveRunning(command);
  await eventually(() => expect(heard.out()).toContain('event: reset'));
  expect(await reader.type(tell)).toMatchObject({ code: 0 });
  await eventually(() => expect(heard.out()).toContain(`event: ${event}`));
};

const readme: Treatment[] = [
  { of: ['README.md', 'npm start'], run: async (_, reader) => answersPages(reader) },
  {
    of: ['README.md', 'npm test'],
    notRun: 'it is what runs this',
    check: async () => {
      const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
      expect(scripts.test).toBe('exec node packages/embedded/launcher/launch.mjs test');
    },
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

const integrating = 'docs/integrating.md';

const upstream: Treatment[] = [
  { of: [integrating, 'AUTOMATION='], run: runs() },
  { of: [integrating, 'STAFF='], run: runs() },
  { of: [integrating, 'ADMIN='], run: runs() },
  {
    of: [integrating, 'curl -s localhost:8080/ops/events'],
    run: answers({ event_id: '5f0c1', outcome: 'created' }),
  },
  {
    of: [integrating, renewals],
    run: answers({ data: expect.arrayContaining([expect.objectContaining({ due_date: '2030-03-31' })]) }),
  },
  { of: [integrating, 'export AMQP_URL='], run: runs() },
  {
    of: [integrating, 'npm start'],
    notRun: 'it runs since before the first command, on a RabbitMQ',
    check: answersPages,
  },
  {
    of: [integrating, 'npm install amqplib@2'],
    notRun: 'a registry is not to be relied on: what this checkout has of it is put in its place',
    check: async ({ elsewhere }) => {
      const installed = join(root, 'node_modules/amqplib');
      expect(JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')).version).toMatch(/^2\./);
      await symlink(join(root, 'node_modules'), join(elsewhere, 'node_modules'));
    },
  },
  {
    of: [integrating, 'node publish.mjs P-77 2030-06-30'],
    run: runs(watched({ policy_id: 'P-77', due_date: '2030-06-30' }), 'elsewhere'),
  },
  { of: [integrating, 'node publish.mjs P-78 someday'], run: runs(undefined, 'elsewhere') },
  {
    of: [integrating, 'curl -s localhost:8080/ops/services/renewals-service/dead-letters'],
    run: (command, reader) =>
      eventually(async () => {
        const { out } = await reader.type(command);
        expect(JSON.parse(out).data).toMatchObject([
          {
            queue: 'renewals-service:upstream:watch',
            event_type: 'policy.issued',
            error: expect.stringMatching(/data\.end_date/),
          },
        ]);
      }),
  },
  {
    of: [integrating, 'node listen.mjs'],
    run: async (command, reader) => {
      const listening = reader.leaveRunning(command, 'elsewhere');
      await eventually(() => expect(listening.out()).toContain('listening'));
    },
  },
  {
    of: [integrating, 'node publish.mjs P-79 2026-01-31'],
    run: runs(watched({ policy_id: 'P-79' }), 'elsewhere'),
  },
  {
    of: [integrating, 'curl -sX POST localhost:8080/ops/renewals/refresh'],
    run: runs(async ({ out }, { running }) => {
      expect(JSON.parse(out)).toMatchObject({ status: 'COMPLETED' });
      await eventually(() =>
        expect(running('node listen.mjs')).toMatch(/ RENEWAL_TRIGGERED C-2001 INSURANCE_POLICY 2026-01-31 OVERDUE/),
      );
    }),
  },
  {
    of: [integrating, 'curl -N localhost:8080/ops/stream'],
    run: stream(
      `curl -sX PUT localhost:8080/ops/customers/C-2002 -H "authorization: Bearer $STAFF" \\
        -H 'content-type: application/json' -d '{"name": "Another"}'`,
      'customer.changed',
    ),
  },
];

export const treatments: readonly Treatment[] = [...readme, ...upstream];

async function composeReadsTheFile(reader: Newcomer): Promise<void> {
  const { code } = await reader.type('docker compose version');
  if (code === 0) expect(await reader.type('docker compose config --quiet')).toMatchObject({ code: 0 });
  else expect(existsSync(join(reader.checkout, 'docker-compose.yml'))).toBe(true);
}
