import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createProvisionedDatabase, type TestDatabase } from '@ops/service-kit/test/database';
import pg from 'pg';
import { verifyAudit } from './verify-audit.ts';

let database: TestDatabase;
let owner: pg.Client;
beforeAll(async () => {
  database = await createProvisionedDatabase();
  owner = new pg.Client({ connectionString: database.adminUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await database.drop();
});

const schemas = ['comms', 'renewals', 'ingest', 'notifier'] as const;
const told = async (args: string[], urlOf: (schema: (typeof schemas)[number]) => string = () => database.adminUrl) => {
  const lines: string[] = [];
  const audited = schemas.map((schema) => ({ schema, url: urlOf(schema) }));
  const whole = await verifyAudit(['verify', ...args], audited, (line) => lines.push(line));
  return { whole, lines };
};
const written = (schema: string, actor: string) =>
  owner.query(
    `SET search_path = ${schema}_audit;
     INSERT INTO audit (id, actor, role, request_id, action, subject_kind, subject_id, digests)
     VALUES (gen_random_uuid(), '${actor}', 'staff', 'r', 'putTask', 'task', '1', '[]');
     INSERT INTO audit_values SELECT id, 's', '[]' FROM audit ON CONFLICT DO NOTHING;
     SELECT seal_audit(10)`,
  );

test('each schema, as whoever owns the database and as the services: how many rows, where it ends, and what is not whole', async () => {
  await written('comms', 'ada');
  await written('notifier', 'ada');
  const { whole, lines } = await told([]);
  expect(whole).toBe(true);
  expect(lines).toEqual([
    expect.stringMatching(/^ok comms: 1 rows; comms:1:[0-9a-f]{64}$/),
    'ok renewals: 0 rows; renewals:0:',
    'ok ingest: 0 rows; ingest:0:',
    expect.stringMatching(/^ok notifier: 1 rows; notifier:1:[0-9a-f]{64}$/),
  ]);
  expect(await told([], (schema) => database.urls[schema])).toEqual({ whole, lines });
  const kept = lines[0]?.split('; ')[1] as string;
  await written('comms', 'bob');
  expect((await told([kept])).whole).toBe(true);
  expect(await told([`comms:1:${'0'.repeat(64)}`])).toMatchObject({
    whole: false,
    lines: expect.arrayContaining(['BROKEN comms: seal 1 is not the one that was kept']),
  });

  await owner.query(`UPDATE comms_audit.audit SET actor = 'somebody else' WHERE actor = 'ada'`);
  const broken = await told([]);
  expect(broken.whole).toBe(false);
  expect(broken.lines[0]).toMatch(
    /^BROKEN comms: row [0-9a-f-]{36} \(seal 1, .* putTask by somebody else\) was changed$/,
  );
  expect(broken.lines[3]).toMatch(/^ok notifier/);
});

test('what it does not understand is refused', async () => {
  for (const args of [['verify', 'comms'], [], ['mend']])
    await expect(verifyAudit(args, [], () => {})).rejects.toThrow('usage: audit verify');
});
