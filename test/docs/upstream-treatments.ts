import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import { root } from './document.ts';
import type { Newcomer, Said } from './newcomer.ts';
import { answers, answersPages, runs, stream, type Treatment } from './treatment.ts';

const integrating = 'docs/integrating.md';

const renewalsCall = 'curl -s localhost:8080/ops/customers/C-2001/renewals -H "authorization: Bearer $STAFF"';

/** By the call the document itself shows. */
const watched = (expected: object) => (_: Said, reader: Newcomer) =>
  eventually(async () => {
    const { out } = await reader.type(renewalsCall);
    expect(JSON.parse(out).data).toContainEqual(expect.objectContaining(expected));
  });

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

/** Events that come from another system, and those it hears of. */
export const upstream: Treatment[] = [
  { of: [integrating, 'AUTOMATION='], run: runs() },
  { of: [integrating, 'STAFF='], run: runs() },
  { of: [integrating, 'ADMIN='], run: runs() },
  {
    of: [integrating, 'curl -s localhost:8080/ops/events'],
    run: (command, reader) =>
      posted[told(command) ?? '']?.(command, reader) ?? Promise.reject(new Error('unknown event')),
  },
  {
    of: [integrating, renewalsCall],
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
