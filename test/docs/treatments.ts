import { existsSync } from 'node:fs';
import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { events } from '@ops/contracts/events';
import { eventually } from '@ops/test-kit/eventually';
import { compose } from '../images/compose.ts';
import { root } from './document.ts';
import type { Newcomer, Said } from './newcomer.ts';

/** What becomes of a command: it is run and its effect is looked at, or it is said why not, and what can be checked is. */
export type Treatment = { of: [document: string, begins: string] } & (
  | { notRun?: never; run(command: string, reader: Newcomer): Promise<unknown> }
  | { notRun: string; check(reader: Newcomer, command: string): Promise<unknown> }
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

/** Asked until it says so: others have to do something first. */
const shows = (expected: object) => (command: string, reader: Newcomer) =>
  eventually(async () => {
    const { code, out } = await reader.type(command);
    expect(code).toBe(0);
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

/** The events the document posts, by their ids. */
const posted: Record<string, (command: string, reader: Newcomer) => Promise<unknown>> = {
  '5f0c1': answers({ event_id: '5f0c1', outcome: 'created' }),
  '5f0c2': async (command, reader) => {
    const { code, out } = await reader.type(command);
    expect([code, JSON.parse(out)]).toEqual([22, expect.objectContaining({ status: 422 })]);
    expect(JSON.parse(out).errors).toEqual([{ path: 'data.expiry_date', message: 'is required' }]);
  },
};
const told = (command: string) => /"id": "(\w+)"/.exec(command)?.[1];

const upstream: Treatment[] = [
  { of: [integrating, 'AUTOMATION='], run: runs() },
  { of: [integrating, 'STAFF='], run: runs() },
  { of: [integrating, 'ADMIN='], run: runs() },
  {
    of: [integrating, 'curl -s localhost:8080/ops/events'],
    run: (command, reader) =>
      posted[told(command) ?? '']?.(command, reader) ?? Promise.reject(new Error('unknown event')),
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

const needsDocker = 'it needs the RabbitMQ of docker compose';
const upstreamTypes = ['policy.issued', 'residence_permit.approved', 'work_permit.issued'];

/** The patterns in single quotes: what may be declared, written and read, or which routing keys. */
const patterns = (command: string) =>
  [...command.matchAll(/'([^']*)'/g)].map(([, pattern = '']) => new RegExp(pattern));
const allowed = (pattern: RegExp | undefined, names: readonly string[]) => names.filter((name) => pattern?.test(name));

const accounts: Treatment[] = [
  { of: [integrating, 'docker compose up --detach'], notRun: needsDocker, check: composeReadsTheFile },
  ...['policies', 'accounting'].map(
    (user): Treatment => ({
      of: [integrating, `docker compose exec rabbitmq rabbitmqctl add_user ${user}`],
      notRun: needsDocker,
      check: async () => expect(compose.services.rabbitmq?.image).toContain('rabbitmq:'),
    }),
  ),
  {
    of: [integrating, 'docker compose exec rabbitmq rabbitmqctl set_permissions policies'],
    notRun: needsDocker,
    check: async (_, command) =>
      expect(patterns(command).map((one) => allowed(one, ['ops.events', 'ops.dead', 'q']))).toEqual([
        [],
        ['ops.events'],
        [],
      ]),
  },
  {
    of: [integrating, 'docker compose exec rabbitmq rabbitmqctl set_topic_permissions policies ops.events'],
    notRun: needsDocker,
    check: async (_, command) =>
      expect(patterns(command).map((one) => allowed(one, Object.keys(events)))).toEqual([upstreamTypes, []]),
  },
  {
    of: [integrating, 'docker compose exec rabbitmq rabbitmqctl set_permissions accounting'],
    notRun: needsDocker,
    check: async (_, command) => {
      const own = ['accounting.renewals'];
      expect(
        patterns(command).map((one) => allowed(one, ['ops.events', ...own, 'renewals-service:upstream:watch'])),
      ).toEqual([own, own, ['ops.events', ...own]]);
    },
  },
  {
    of: [integrating, 'docker compose exec rabbitmq rabbitmqctl set_topic_permissions accounting ops.events'],
    notRun: needsDocker,
    check: async (_, command) =>
      expect(patterns(command).map((one) => allowed(one, Object.keys(events)))).toEqual([
        [],
        ['RENEWAL_TRIGGERED', 'RENEWAL_COMPLETED'],
      ]),
  },
];

const providers: Treatment[] = [
  { of: [integrating, 'npm run secrets'], run: runs(({ out }) => expect(out).toContain('all are there')) },
  {
    of: [integrating, 'curl -s "localhost:8080/webhooks/messaging-app?hub.mode=subscribe'],
    run: runs(({ out }) => expect(out).toBe('1158')),
  },
  { of: [integrating, "printf 'From: demo@example.com"], run: runs() },
  {
    of: [integrating, 'curl -s "localhost:8080/ops/customers/C-2001/communications?filter=email"'],
    run: shows({
      type: 'EMAIL',
      direction: 'INBOUND',
      subject: 'My policy',
      body: expect.stringContaining('renewed?'),
    }),
  },
  {
    of: [integrating, 'curl -s localhost:8080/ops/customers/C-2001/communications'],
    run: answers({ type: 'EMAIL', direction: 'OUTBOUND', status: 'QUEUED' }),
  },
  {
    of: [integrating, 'curl -s "localhost:8080/ops/customers/C-2001/communications?direction=OUTBOUND"'],
    run: shows({ subject: 'A first message', status: 'SENT', failure: null }),
  },
  {
    of: [integrating, 'curl -s "$OIDC_TOKEN_URL"'],
    notRun: 'it asks an identity provider of the reader',
    check: async ({ type }, command) => expect(await type(`sh -n -c '${command}'`)).toMatchObject({ code: 0 }),
  },
  { of: [integrating, 'curl -s localhost:8080/ops/me'], run: answers({ role: 'automation' }) },
];

export const treatments: readonly Treatment[] = [...readme, ...upstream, ...accounts, ...providers];

async function composeReadsTheFile(reader: Newcomer): Promise<void> {
  const { code } = await reader.type('docker compose version');
  if (code === 0) expect(await reader.type('docker compose config --quiet')).toMatchObject({ code: 0 });
  else expect(existsSync(join(reader.checkout, 'docker-compose.yml'))).toBe(true);
}
