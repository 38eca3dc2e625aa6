import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AttentionItem } from '@ops/contracts/resources/attention';
import type { Communication, HistoryEntry } from '@ops/contracts/resources/communication';
import type { CustomerDetail } from '@ops/contracts/resources/customer';
import type { Renewal } from '@ops/contracts/resources/renewal';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import { type RabbitNode, startRabbitNode } from '@ops/test-kit/rabbitmq-node';
import { seeded } from '@ops/test-kit/random';
import type { System } from '@ops/test-system/system';
import { type Known, officeOn } from '../e2e/renewal-office.ts';
import { auditIsWhole } from './audited.ts';
import { everythingInTurn } from './in-turn.ts';
import { type Client, everyPage } from './pages.ts';
import { nothingMoves } from './quiet.ts';

const MESSAGES = Number(process.env.CHAOS_MERGING ?? 240);
const ROUNDS = Number(process.env.CHAOS_MERGING_ROUNDS ?? 1);
const SEED = Number(process.env.CHAOS_SEED ?? 1);
const PAIRS = 8;
const WRITERS = 4;

interface Entered extends Known {
  /** What they wrote, in that order. */
  texts: string[];
  /** One alert of it fires in the midst of all, one when everything is quiet again. */
  midst: Renewal;
  after: Renewal;
}

/** Entered twice, and found out again and again. */
interface Pair {
  stays: Entered;
  goes: Entered;
  /** In the end. */
  merged: boolean;
}

const homeOf = ({ stays, merged }: Pair, one: Entered): Entered => (merged ? stays : one);

describe.each(['rabbitmq', 'postgres'] as const)(
  'customers are merged and taken apart while they write and everything is killed in turn, %s bus',
  (bus) => {
    const office = officeOn(bus);
    let broker: RabbitNode | undefined;
    let system: System;
    let staff: Client;
    let pairs: Pair[];

    beforeAll(async () => {
      broker = bus === 'rabbitmq' ? await startRabbitNode() : undefined;
      ({ system, staff } = await office.open(broker && { amqpUrl: broker.url }));
      pairs = [];
      for (let i = 0; i < PAIRS; i += 1) pairs.push({ stays: await enter(), goes: await enter(), merged: i % 2 === 0 });
    });
    afterAll(async () => {
      await system?.stop();
      await broker?.stop();
    });

    test(`${MESSAGES} messages: each once and where its writer belongs; each alert once, and to the one`, async () => {
      const random = seeded(SEED);
      const blows = everythingInTurn(system, broker, { messages: MESSAGES, rounds: ROUNDS });
      const night = Math.floor(MESSAGES / 2);
      const begun = Date.now() - 3_600_000;
      let next = 0;
      let turn = Promise.resolve();
      const work = async () => {
        for (let i = next++; i < MESSAGES; i = next++) {
          const { stays, goes } = random.pick(pairs);
          const writer = random.pick([stays, goes]);
          const letter = {
            channel: 'MESSAGING_APP' as const,
            text: canary(),
            at: new Date(begun + i * 1000).toISOString(),
          };
          writer.texts.push(letter.text);
          await system.simulator.write(writer.phone, letter);
          if (i % 3 === 0) await decide(random.pick(pairs), random.below(2) === 0);
          if (i === night) await eventually(office.refresh, slowly);
          const blow = blows.get(i);
          if (blow) turn = turn.then(blow);
          await turn;
        }
      };
      await Promise.all(Array.from({ length: WRITERS }, work));
      for (const pair of pairs) await decide(pair, pair.merged);
      await eventually(() => nothingMoves(system), slowly);

      for (const pair of pairs) await eventually(() => isTold(pair), slowly);
      const waiting = await everyPage<AttentionItem>(staff, '/ops/attention?limit=200');
      expect(waiting.data.map(({ customer_id }) => customer_id).toSorted()).toEqual(whoWaits().toSorted());
      await nothingTwice();

      for (const { stays, goes } of pairs) for (const { after } of [stays, goes]) await office.daysPass(after, 140);
      await office.refresh();
      await eventually(() => nothingMoves(system), slowly);
      for (const pair of pairs)
        for (const one of [pair.stays, pair.goes]) await eventually(() => isWarned(one.after, pair, one), slowly);
      await nothingTwice();
      await auditIsWhole(system, 4 * pairs.length);
    }, 1_800_000);

    async function isTold(pair: Pair): Promise<void> {
      const { stays, goes, merged } = pair;
      if (merged) for (const { id } of [stays, goes]) await isTheirs(id, stays, [stays, goes]);
      else for (const one of [stays, goes]) await isTheirs(one.id, one, [one]);
      for (const { midst } of [stays, goes])
        for (const { whom } of await sentFor(midst, pair)) expect([stays.phone, goes.phone]).toContain(whom);
    }

    const whoWaits = () =>
      pairs.flatMap(({ stays, goes, merged }) =>
        (merged ? [{ id: stays.id, texts: [...stays.texts, ...goes.texts] }] : [stays, goes])
          .filter(({ texts }) => texts.length > 0)
          .map(({ id }) => id),
      );

    async function enter(): Promise<Entered> {
      const known = await office.introduce();
      return { ...known, texts: [], midst: await office.watch(known, 60), after: await office.watch(known, 200) };
    }

    /** As a person does it: again, until there is an answer. */
    const decide = ({ stays, goes }: Pair, merged: boolean) =>
      eventually(async () => {
        const path = `/ops/customers/${goes.id}/${merged ? 'merge' : 'unmerge'}`;
        const { status, body } = await staff.post(path, merged ? { into: stays.id } : undefined);
        expect({ status, body }).toMatchObject({ status: 200 });
      }, slowly);

    /** Whichever id they are asked for by. */
    async function isTheirs(id: string, home: Entered, written: readonly Entered[]): Promise<void> {
      const customer = (await staff.get(`/ops/customers/${id}`)).body as CustomerDetail;
      const texts = written.flatMap((one) => one.texts);
      expect(customer).toMatchObject({ id: home.id, unread_count: texts.length });
      const log = await logOf(id);
      const inbound = log.filter(({ direction }) => direction === 'INBOUND').map(({ body }) => body);
      expect(inbound.toSorted()).toEqual(texts.toSorted());
      for (const { texts: own } of written) expect(inbound.filter((text) => own.includes(text)).reverse()).toEqual(own);
      const due = await office.list<Renewal>(`/ops/customers/${id}/renewals`);
      const expected = written.flatMap(({ midst, after }) => [midst.id, after.id]);
      expect(due.map((one) => one.id).toSorted()).toEqual(expected.toSorted());
    }

    /** Once, by phone and by mail, and nobody else was: of two who are one, whichever address they have. */
    async function isWarned(renewal: Renewal, pair: Pair, one: Entered): Promise<void> {
      const sent = await sentFor(renewal, pair);
      expect(sent.map(({ record }) => record.type).toSorted()).toEqual(['EMAIL', 'MESSAGING_APP']);
      const theirs = pair.merged ? [pair.stays.phone, pair.goes.phone] : [one.phone];
      for (const { whom, record } of sent) {
        expect(theirs).toContain(whom);
        expect(record.customer_id).toBe(homeOf(pair, one).id);
      }
    }

    /** Of its one alert: what was not called back, once in the logs of the two, and whose phone or mailbox it is in. */
    async function sentFor({ id }: Renewal, { stays, goes, merged }: Pair) {
      const { alerts, messages } = await office.detail({ id });
      expect(alerts.filter(({ state }) => state === 'FIRED')).toHaveLength(1);
      const logs = [await logOf(stays.id), merged ? [] : await logOf(goes.id)].flat();
      const journal = await system.simulator.journal();
      const sent = [];
      for (const { communication_id } of messages.filter(({ direction }) => direction === 'OUTBOUND')) {
        const records = logs.filter((record) => record.id === communication_id);
        expect(records).toHaveLength(1);
        const [record] = records as [Communication];
        const { status } = record;
        const history = await office.list<HistoryEntry>(`/ops/communications/${communication_id}/history`);
        const attempts = history.map(({ details }) => (details as { attempt_id?: string }).attempt_id);
        const taken = journal.filter(({ attempt_id }) => attempt_id !== null && attempts.includes(attempt_id));
        const isSent = status === 'SENT' || status === 'DELIVERED';
        if (status !== 'UNCERTAIN') expect({ status, taken }).toMatchObject({ taken: isSent ? [{}] : [] });
        sent.push(...taken.map(({ to }) => ({ whom: to, record })));
      }
      return sent;
    }

    async function nothingTwice(): Promise<void> {
      const taken = (await system.simulator.journal()).map(({ attempt_id }) => attempt_id);
      expect(new Set(taken).size).toBe(taken.length);
    }

    /** Newest first. */
    const logOf = async (id: string) =>
      (await everyPage<Communication & { body: string }>(staff, `/ops/customers/${id}/communications?limit=200`)).data;
  },
);

const slowly = { timeoutMs: 300_000, everyMs: 250 };
