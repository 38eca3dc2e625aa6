import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { EventOf } from '@ops/contracts/events';
import type { AttentionChange, AttentionPage } from '@ops/contracts/resources/attention';
import type { Communication } from '@ops/contracts/resources/communication';
import type { CustomerDetail } from '@ops/contracts/resources/customer';
import type { LinkResult } from '@ops/contracts/resources/unmatched';
import { inTransaction } from '@ops/service-kit/database';
import { uuidv7 } from '@ops/test-kit/builders';
import fc from 'fast-check';
import { AttentionModel, byTurn } from '../../test/attention-model.ts';
import { deps, said, taken } from '../../test/message.ts';
import { automation, staff, startTestService, type TestService } from '../../test/service.ts';
import { takeDeliveryUpdates } from '../delivery-status/delivery-service.ts';

// For a hang: the work is the same on a slow machine.

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const kinds = [
  ...(['write', 'write', 'write', 'write', 'write', 'write old', 'log', 'answer', 'automated', 'automatic'] as const),
  ...([
    'history',
    'react',
    'edit',
    'withdraw',
    'withdraw',
    'call',
    'strike',
    'echo',
    'fail',
    'cancel',
    'sent',
  ] as const),
  ...([
    'retry',
    'stranger',
    'link',
    'unlink',
    'move',
    'done',
    'done up to',
    'snooze',
    'snooze up to',
    'wake',
    'take back',
    'take back',
    'take back an earlier one',
    'read',
    'unread',
    'note',
    'merge',
    'merge',
    'unmerge',
    'unmerge',
  ] as const),
];
const steps = fc.array(
  fc.record({
    kind: fc.constantFrom(...kinds),
    who: fc.integer({ min: 0, max: 2 }),
    which: fc.nat(20),
    minute: fc.nat(59),
  }),
  { minLength: 15, maxLength: 40, size: 'max' },
);
type Step = typeof steps extends fc.Arbitrary<(infer One)[]> ? One : never;

let turns = 0;

/** Three customers and somebody unknown, and all that was said. */
async function newWorld() {
  turns += 1;
  const number = String(turns).padStart(5, '0');
  const people = [0, 1, 2].map((n) => ({ id: `wait-${turns}-${n}`, phone: `+4477${n}${number}1` }));
  for (const { id, phone } of people)
    await service.put(staff, `/ops/customers/${id}`, { name: 'Demo', phones: [phone] });
  const stranger = `stranger${turns}@example.com`;
  return {
    model: new AttentionModel(),
    people: people as [Person, Person, Person],
    stranger,
    names: new Map<string, string>(),
  };
}
type World = Awaited<ReturnType<typeof newWorld>>;
interface Person {
  id: string;
  phone: string;
}

/** Nothing of ours is told apart by less than a millisecond: what a person does comes after what they saw. */
async function nextMillisecond(): Promise<void> {
  for (const now = Date.now(); Date.now() === now; ) await new Promise(setImmediate);
}

const pick = <T>(from: readonly T[], which: number): T | undefined => from[which % Math.max(from.length, 1)];
const at = (minute: number) => `2026-03-01T12:${String(minute).padStart(2, '0')}:00Z`;
const micro = (instant: string) => instant.replace(/(\.\d+)?Z$/, (_, part = '.') => `${part.padEnd(7, '0')}Z`);

async function post(path: string, body: object, actor = staff): Promise<Communication> {
  const answer = await service.post<Communication>(actor, path, body);
  expect(answer.status).toBe(201);
  return answer.body;
}

const attend = (customer: string, patch: object) =>
  service.patch<AttentionChange>(staff, `/ops/customers/${customer}/attention`, patch);

const hear = (record: string, customer: string, status: 'FAILED' | 'CANCELLED' | 'SENT', attempt: number) =>
  inTransaction(service.db, (trx) =>
    takeDeliveryUpdates(deps, trx, [
      {
        data: {
          customer_id: customer,
          occurred_at: at(0),
          communication_id: record,
          attempt,
          attempt_id: uuidv7(),
          status,
          provider: 'twilio',
          provider_message_id: null,
          failure: status === 'SENT' ? null : { code: 'demo', message: 'Demo' },
        },
      } as EventOf<'delivery.updated'>,
    ]),
  );

/** Does it, and tells the model what it has to know. */
async function take(step: Step, world: World): Promise<void> {
  const { model, people, stranger, names } = world;
  const { id: customer, phone } = people[step.who as 0 | 1 | 2];
  const path = `/ops/customers/${customer}`;
  const log = `${path}/communications`;
  const home = model.home(customer);
  const own = model.messages.filter((one) => one.customer !== null && model.home(one.customer) === home);
  const one = pick(own, step.which);
  model.turn += 1;
  const { turn } = model;
  const arrive = (id: string, written: string) => {
    model.messages.push({ id, customer, turn, written: micro(written), withdrawn: false });
    model.wake(customer);
  };
  const provider = async (rest: Parameters<typeof said>[0]) => {
    const message = said({ occurred_at: at(step.minute), ...rest, sender: { phone, ...rest?.sender } });
    await taken(service, message);
    names.set(message.item_id, message.external_id);
    return message;
  };
  switch (step.kind) {
    case 'write':
      return arrive((await provider({})).item_id, at(step.minute));
    case 'write old':
      return arrive((await provider({ occurred_at: '2026-02-01T00:00:00Z' })).item_id, '2026-02-01T00:00:00Z');
    case 'log': {
      const record = await post(log, { type: 'SMS', direction: 'INBOUND', body: 'Hello' });
      return arrive(record.id, record.occurred_at);
    }
    case 'answer': {
      const { id } = await post(log, { type: 'SMS', direction: 'OUTBOUND', body: 'Hello' });
      return void model.answers.push({ id, customer, turn, lost: false });
    }
    case 'automated':
      return void (await post(log, { type: 'SMS', direction: 'OUTBOUND', body: 'Hello' }, automation));
    case 'note':
      return void (await post(`${path}/notes`, { body: 'Hello' }));
    case 'automatic':
      return void (await provider({
        channel: 'EMAIL',
        automatic: true,
        sender: { email: `${customer}@example.com`, phone: null },
      }));
    case 'history':
      return void (await provider({ imported: true, automatic: true }));
    case 'react':
    case 'edit':
    case 'withdraw': {
      // Best one that still waits: to take back another one's words changes nothing.
      const one = pick([...model.waiting(customer), ...own].filter(({ id }) => names.has(id)).slice(0, 2), step.which);
      if (one === undefined) return;
      const target = names.get(one.id) as string;
      const kind = { react: 'reaction', edit: 'edit', withdraw: 'withdrawal' } as const;
      await provider({ kind: kind[step.kind], emoji: '+', target_external_id: target, sender: { phone } });
      if (step.kind === 'withdraw') one.withdrawn = true;
      return;
    }
    case 'call': {
      const record = await post(log, { type: 'CALL_LOG', direction: 'INTERNAL', body: 'Hello', subject: 'Call' });
      return void model.talks.push({ id: record.id, customer, turn, at: record.occurred_at, struck: false });
    }
    case 'strike': {
      const call = pick(
        model.talks.filter((talk) => talk.customer === customer && !names.has(talk.id)),
        step.which,
      );
      if (!call) return;
      expect(await service.post(staff, `/ops/communications/${call.id}/strike`)).toMatchObject({ status: 200 });
      call.struck = true;
      return;
    }
    case 'echo': {
      const { item_id } = await provider({ direction: 'OUTBOUND' });
      return void model.talks.push({ id: item_id, customer, turn: -1, at: micro(at(step.minute)), struck: false });
    }
    case 'fail':
    case 'cancel':
    case 'sent':
    case 'retry':
      return ofAnswer(step, world, customer);
    case 'stranger': {
      const message = said({ channel: 'EMAIL', occurred_at: at(step.minute), sender: { email: stranger } });
      await taken(service, message);
      const row = await service
        .db('communications')
        .where({ id: message.item_id })
        .first('customer_id', 'written_under');
      const under = row.written_under ?? row.customer_id;
      model.messages.push({
        id: message.item_id,
        customer: under,
        turn,
        written: micro(at(step.minute)),
        withdrawn: false,
      });
      return model.wake(under);
    }
    case 'link':
    case 'unlink':
      return ofStranger(step, world, customer);
    case 'move': {
      if (!one) return;
      const other = otherOf(step, people).id;
      const moved = await service.post(staff, `/ops/communications/${one.id}/move`, { customer_id: other });
      expect(moved.status).toBe(200);
      if (model.home(other) === home) return;
      Object.assign(one, { customer: other, turn });
      return model.wake(other);
    }
    case 'merge':
    case 'unmerge':
      return ofMerge(step, world, customer);
    case 'done':
    case 'done up to': {
      const upTo = step.kind === 'done' ? undefined : one;
      if (!upTo && step.kind === 'done up to') return;
      const { status, body } = await attend(customer, { state: 'done', ...(upTo && { up_to: upTo.id }) });
      expect(status).toBe(200);
      return model.beDone(customer, upTo, body.change_id);
    }
    case 'snooze':
    case 'snooze up to': {
      const upTo = step.kind === 'snooze' ? undefined : one;
      const until = new Date(Date.now() + 30 * 86_400_000).toISOString();
      const { status, body } = await attend(customer, { state: 'snoozed', until, ...(upTo && { up_to: upTo.id }) });
      expect(status).toBe(model.waiting(customer).length > 0 ? 200 : 409);
      return status === 200 ? model.snooze(customer, upTo, body.change_id as string) : undefined;
    }
    case 'wake': {
      const { status, body } = await attend(customer, { state: 'waiting' });
      expect(status).toBe(model.waiting(customer).length > 0 ? 200 : 409);
      return status === 200 && body.change_id ? model.beAwake(customer, body.change_id) : undefined;
    }
    case 'take back': {
      const last = model.changes.get(model.home(customer))?.at(-1);
      if (!last) return;
      expect(await attend(customer, { state: 'waiting', change_id: last.id })).toMatchObject({ status: 200 });
      return model.takeBack(customer);
    }
    case 'take back an earlier one': {
      const earlier = pick(model.changes.get(model.home(customer))?.slice(0, -1) ?? [], step.which);
      if (!earlier) return;
      return expect(await attend(customer, { state: 'waiting', change_id: earlier.id })).toMatchObject({ status: 409 });
    }
    case 'read':
      return void (await service.patch(staff, `${log}/read`));
    case 'unread':
      return one && void (await service.patch(staff, `${log}/unread`, { from: one.id }));
  }
}

const otherOf = ({ who, which }: Step, people: World['people']) => people[((who + 1 + (which % 2)) % 3) as 0 | 1 | 2];

async function ofMerge(step: Step, { model, people }: World, customer: string): Promise<void> {
  const into = otherOf(step, people).id;
  const [home, survivor] = [model.home(customer), model.home(into)];
  const { status } = await service.post(
    staff,
    `/ops/customers/${customer}/${step.kind}`,
    step.kind === 'merge' ? { into } : undefined,
  );
  if (status !== 200) return void expect([409, 422]).toContain(status);
  if (step.kind === 'merge' && home === customer && survivor !== home) model.merge(customer, survivor);
  if (step.kind === 'unmerge' && home !== customer) model.unmerge(customer);
}

async function ofAnswer({ kind, which }: Step, { model }: World, customer: string): Promise<void> {
  const answer = pick(
    model.answers.filter((one) => one.customer === customer),
    which,
  );
  if (!answer) return;
  const { status, attempt } = await service.db('communications').where({ id: answer.id }).first('status', 'attempt');
  if (kind === 'retry') {
    if (status !== 'FAILED') return;
    expect(await service.post(staff, `/ops/communications/${answer.id}/retry`)).toMatchObject({ status: 200 });
  } else
    await hear(
      answer.id,
      customer,
      ({ fail: 'FAILED', cancel: 'CANCELLED', sent: 'SENT' } as const)[kind as 'fail'],
      attempt,
    );
  const now = await service.db('communications').where({ id: answer.id }).first('status');
  answer.lost = ['FAILED', 'CANCELLED'].includes(now.status);
}

async function ofStranger({ kind, which }: Step, { model }: World, customer: string): Promise<void> {
  const rows = await service.db('inbound_messages').select('communication_id', 'linked_at');
  const linked = new Map(rows.map((row) => [row.communication_id, row.linked_at !== null]));
  const message = pick(
    model.messages.filter((one) => linked.get(one.id) === (kind === 'unlink')),
    which,
  );
  if (!message) return;
  const { status, body } = await service.post<LinkResult>(
    staff,
    `/ops/unmatched/${message.id}/${kind}`,
    kind === 'link' ? { customer_id: customer } : undefined,
  );
  // Refiled since: the link is no longer what placed it.
  if (kind === 'unlink' && status === 409) return;
  expect(status).toBe(200);
  const moved = model.messages.filter((one) => body.moved.includes(one.id));
  for (const one of moved) Object.assign(one, kind === 'link' ? { customer, turn: model.turn } : { customer: null });
  if (kind === 'link') model.wake(customer);
}

async function look({ model, people }: World): Promise<void> {
  for (const { id } of people) {
    const { body } = await service.get<CustomerDetail>(staff, `/ops/customers/${id}`);
    const wanted = { waiting_since: model.since(id), snoozed: model.isSnoozed(id) };
    expect(body.id).toBe(model.home(id));
    expect({ waiting_since: body.waiting_since, snoozed: body.snoozed_until !== null }).toEqual(wanted);
  }
}

async function lookAtLists({ model, people }: World): Promise<void> {
  const [waiting, snoozed] = [await listOf('waiting'), await listOf('snoozed')];
  for (const { id } of people) {
    const last = (list: typeof waiting) => list.find((one) => one.customer_id === id)?.last_message.id;
    const wanted = model.home(id) === id ? model.waiting(id).sort(byTurn).at(-1)?.id : undefined;
    const [inOne, inOther] = model.isSnoozed(id) ? [snoozed, waiting] : [waiting, snoozed];
    expect([last(inOne), last(inOther)]).toEqual([wanted, undefined]);
  }
}

async function listOf(state: string): Promise<AttentionPage['data']> {
  const all: AttentionPage['data'] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = `?limit=200&state=${state}${cursor && `&cursor=${cursor}`}`;
    const { body }: { body: AttentionPage } = await service.get<AttentionPage>(staff, `/ops/attention${query}`);
    all.push(...body.data);
    cursor = body.next_cursor;
  }
  return all;
}

test('whatever is said, done, linked, moved and taken back: who waits, and since when, is what a second telling says', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (mix) => {
      const world = await newWorld();
      for (const step of mix) {
        await nextMillisecond();
        await take(step, world);
        await look(world);
      }
      await lookAtLists(world);
    }),
    {
      seed: Number(process.env.ATTENTION_SEED ?? 20_261_123),
      numRuns: Number(process.env.ATTENTION_RUNS ?? 6),
      endOnFailure: true,
    },
  );
});
