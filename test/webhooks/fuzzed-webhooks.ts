import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import { readMetrics } from '@ops/test-kit/metrics';
import type { System } from '@ops/test-system/system';
import fc from 'fast-check';
import { asProvider, post, type Webhook } from './as-provider.ts';
import { type Drawn, drawn } from './hostile-webhooks.ts';

const seed = 20_263;
const mib = 1024 * 1024;
const mibOf = (bytes: number) => `${Math.round(bytes / mib)} MiB`;

/** It falls only when Node tidies up, which it puts off: the least of the last looks is what is kept. */
const keptOf = (looks: readonly number[]) => Math.min(...looks.slice(-20));

const marks = (done: number) => done === 1_000 || done === 5_000 || done % 10_000 === 0;

/** So many fuzzed ones, each time the same, and bodies over the limit. */
export function hostileWebhooksDoNoHarm(webhooks: number, start: () => Promise<System>): void {
  let system: System;
  beforeAll(async () => {
    system = await start();
  });
  afterAll(() => system?.stop());

  const provider = () => asProvider(system.gatewayUrl);

  function webhookOf({ by, body, type, signed }: Drawn): Webhook {
    const webhook = signedBy(by, body, type);
    if (type !== '') webhook.headers['content-type'] = type;
    if (signed) return webhook;
    const { 'content-type': contentType = '' } = webhook.headers;
    if (by !== 'mailgun') return { ...webhook, headers: { 'content-type': contentType } };
    return { ...webhook, body: Buffer.from(webhook.body.toString().replace(/signature=./, 'signature=z')) };
  }

  function signedBy(by: Drawn['by'], body: Buffer, type: string): Webhook {
    const sign = provider();
    if (by === 'mailgun') return sign.mailgun(JSON.parse(body.toString()));
    return by === 'sendgrid' ? sign.sendgrid(body, type) : sign[by](body);
  }

  /** What a provider is told: taken, not proven, or not to be read at all. Never that we failed. */
  const allowed = (signed: boolean) => (signed ? [200, 415] : [401, 413, 415]);

  test(
    `${webhooks} fuzzed webhooks, signed and not: no 5xx, nothing unsigned taken, nothing lost, nothing that a consumer gives up on`,
    async () => {
      const before = { memory: await memory(), kept: await kept(), taken: await outcomes() };
      const seen = new Map<string, number>();
      let slowest = { took: 0, told: '' };
      const [looks, grown]: [number[], string[]] = [[], []];
      for (let done = 0; done < webhooks; done += 50) {
        const round = fc.sample(drawn, { numRuns: Math.min(50, webhooks - done), seed: seed + done });
        await Promise.all(
          round.map(async (one) => {
            const started = performance.now();
            const { status } = await post(system.gatewayUrl, webhookOf(one));
            const told = `${one.by} ${one.signed ? 'signed' : 'unsigned'} ${status}`;
            const took = performance.now() - started;
            if (took > slowest.took) slowest = { took, told: `${told}, ${one.body.length} bytes` };
            seen.set(told, (seen.get(told) ?? 0) + 1);
            if (!allowed(one.signed).includes(status))
              throw new Error(`${told}: ${one.type} ${one.body.toString('base64').slice(0, 4_000)}`);
          }),
        );
        looks.push(await memory());
        if (marks(done + 50)) grown.push(`${done + 50}: ${mibOf(keptOf(looks) - before.memory)}`);
      }
      const answered = [...seen].filter(([told]) => told.endsWith(' signed 200'));
      expect(answered).toHaveLength(6);
      await drained();
      const outcome = await outcomes();
      const growth = keptOf(looks) - before.memory;
      tell(
        seen,
        outcome,
        `slowest: ${slowest.told} in ${Math.round(slowest.took)} ms; memory grew by ${mibOf(growth)} (${grown.join(', ')})`,
      );
      expect((await kept()) - before.kept).toBeGreaterThanOrEqual(answered.reduce((sum, [, count]) => sum + count, 0));
      const understood =
        sumOf(outcome, /processed|partly|duplicate/) - sumOf(before.taken, /processed|partly|duplicate/);
      expect(understood).toBeGreaterThan((sumOf(outcome, /./) - sumOf(before.taken, /./)) / 2);
      for (const service of ['comms-service', 'notifier'])
        expect((await (await system.client('admin')).get(`/ops/services/${service}/dead-letters`)).body).toMatchObject({
          data: [],
        });
      expect(growth).toBeLessThan(400 * mib);
    },
    120_000 + webhooks * 200,
  );

  /** What was answered with 200 and is there to be read: each body once, and how often it came again. */
  async function kept(): Promise<number> {
    const [row] = await system
      .database('ingest')('deliveries')
      .sum({ kept: system.database('ingest').raw('repeats + 1') });
    return Number(row?.kept ?? 0);
  }

  async function outcomes(): Promise<Map<string, number>> {
    const rows = await system
      .database('ingest')('deliveries')
      .select('provider', 'outcome')
      .count()
      .groupBy('provider', 'outcome');
    return new Map(rows.map(({ provider: by, outcome, count }) => [`${by} ${outcome}`, Number(count)]));
  }

  const sumOf = (counts: Map<string, number>, named: RegExp) =>
    [...counts].reduce((sum, [name, count]) => sum + (named.test(name) ? count : 0), 0);

  /** Straight to the terminal, as a figure to look at. */
  function tell(seen: Map<string, number>, outcome: Map<string, number>, rest: string): void {
    const lines = [seen, outcome].flatMap((counts) => [...counts].sort().map(([name, count]) => `${name}: ${count}`));
    process.stdout.write(`\n${[...lines, rest].join('\n')}\n\n`);
  }

  /** Everything announced was taken by its consumer. */
  const drained = () =>
    eventually(
      async () => {
        const queues = { comms: 'comms-service:provider-message:log', notifier: 'notifier:receipt:match' } as const;
        const types = { comms: 'provider.message.received', notifier: 'provider.receipt.received' } as const;
        for (const owner of ['comms', 'notifier'] as const) {
          const [sent] = await system.database('ingest')('outbox').where({ type: types[owner] }).count();
          const [taken] = await system.database(owner)('inbox').where({ queue: queues[owner] }).count();
          expect(taken?.count).toBe(sent?.count);
        }
      },
      { timeoutMs: 60_000 + webhooks * 20 },
    );

  /** Of webhook-ingest, as it tells itself. */
  async function memory(): Promise<number> {
    const metric = await readMetrics(system.metricsUrl('webhook-ingest'));
    return metric('process_resident_memory_bytes') ?? Number.NaN;
  }

  describe('a body over the limit', () => {
    test.each([
      ['/webhooks/messaging-app', 4 * mib],
      ['/webhooks/sms', mib],
      ['/webhooks/email/mime', 40 * mib],
    ])('%s: refused by what it announces, before any of it is read', async (path, limit) => {
      const { answer } = await talk(path, `Content-Length: ${limit + 1}`);
      expect(answer).toMatch(/^HTTP\/1.1 413 /);
    });

    test('refused when it has grown too long, and not read to its end', async () => {
      const chunk = Buffer.from(`10000\r\n${'x'.repeat(0x10000)}\r\n`);
      const signed = `X-Hub-Signature-256: sha256=${'0'.repeat(64)}`;
      const head = `${signed}\r\nTransfer-Encoding: chunked`;
      const { answer, written } = await talk('/webhooks/messaging-app', head, chunk, 2_000);
      expect(answer).toMatch(/^(HTTP\/1.1 413 |$)/);
      expect(written).toBeLessThan(2_000 * chunk.length);
    });
  });

  /** Sends a head, then the chunk again and again, until there is an answer or so many were sent. */
  function talk(
    path: string,
    header: string,
    chunk = Buffer.alloc(0),
    times = 0,
  ): Promise<{ answer: string; written: number }> {
    return new Promise((resolve) => {
      let answer = '';
      let left = times;
      const socket = connect(Number(new URL(system.gatewayUrl).port), 'localhost');
      socket.on('error', () => {});
      socket.on('close', () => resolve({ answer, written: socket.bytesWritten }));
      socket.on('data', (data) => {
        answer += data;
        socket.destroy();
      });
      const more = () => {
        while (left-- > 0 && socket.write(chunk));
      };
      socket.on('drain', more);
      socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`);
      more();
    });
  }
}
