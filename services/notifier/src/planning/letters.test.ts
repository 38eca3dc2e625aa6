import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { uuidv7 } from '@ops/test-kit/builders';
import { emptyTables } from '@ops/test-kit/empty-tables';
import {
  type Alerts,
  alertsAt,
  cardOf,
  changed,
  completed,
  deliveryOf,
  type Send,
  type Triggered,
  triggered,
} from '../../test/alerts.ts';
import { allowed, cutOff, type Desk, openDesk, queuedMessage } from '../../test/desk.ts';
import { figures } from '../figures.ts';
import { writeLetters } from './letter-service.ts';
import { readOvertaking } from './overtaking-service.ts';

let desk: Desk;
let alerts: Alerts;

beforeAll(async () => {
  desk = await openDesk();
  alerts = alertsAt(desk);
});
afterAll(() => desk.close());

let run: string;
beforeEach(async () => {
  const decided = ['alert_actions', 'followed_renewals', 'run_alerts', 'finished_runs'];
  await emptyTables(desk.db, ...decided, 'tasks', 'agents', 'sends', 'outbox');
  desk.customers(cardOf());
  desk.maySend(() => allowed);
  desk.renewals(undefined);
  desk.sent.length = 0;
  run = uuidv7();
});

const fired = (given: Partial<Triggered> = {}) => triggered({ run_id: run, ...given });
const permit = (given: Partial<Triggered> = {}) => fired({ rung: '60', due_date: '2026-04-30', ...given });
const policy = (given: Partial<Triggered> = {}) =>
  fired({ rung: '30', service_label: 'Car insurance', service_labels: {}, number: 'P-7', ...given });

/** The whole night of a refresh that fired these. */
async function night(...all: Triggered[]): Promise<void> {
  await alerts.planAll(...all);
  await alerts.finish(run, all.length);
  await alerts.writeLetters();
}

/** As monitoring is told. */
async function oldestSeconds(): Promise<number> {
  const { sql } = figures.find(({ name }) => name === 'letters_oldest_seconds') ?? { sql: '' };
  const { rows } = await desk.db.raw(sql);
  return Number(rows[0].value);
}

const about = (sends: readonly Send[]) => sends.map(({ type, renewal_ids }) => [type, renewal_ids]);

/** As comms-service queues it. */
const queue = ({ send_id, type, customer_id, send_after }: Send) =>
  desk.queue(
    queuedMessage({
      customer_id,
      communication_id: send_id,
      type,
      send_after,
      to: 'ada@example.com',
      automated: true,
    }),
  );

/** What sending told of is heard, as by its queue. */
async function hearAll(): Promise<void> {
  await alerts.hear(...(await alerts.deliveryNews()));
}

describe('what a refresh fires for one customer', () => {
  test('is one message a channel, in the words of the most urgent, that names each; told for each renewal', async () => {
    const [one, two] = [permit(), policy()];
    await alerts.planAll(one, two);
    await alerts.writeLetters();
    expect(await alerts.sends()).toEqual([]);
    await alerts.finish(run, 2);
    await alerts.writeLetters();
    await alerts.writeLetters();
    const sends = await alerts.sends();
    const ids = [two.renewal_id, one.renewal_id];
    expect(about(sends).sort()).toEqual([
      ['EMAIL', ids],
      ['MESSAGING_APP', ids],
    ]);
    const mail = sends.find(({ type }) => type === 'EMAIL');
    expect(mail).toMatchObject({
      renewal_id: two.renewal_id,
      rung: '30',
      subject: 'Urgent: Car insurance, Residence permit',
      body: [
        'Dear Ada Demo,',
        '',
        'Urgent: these have to be renewed:',
        '- Car insurance P-7: March 31, 2026 (days left: 30)',
        '- Residence permit: April 30, 2026 (days left: 60)',
        'Please answer this message today, so that it is done in time.',
        '',
        'Kind regards',
      ].join('\n'),
    });
    const outcomes = (await alerts.outcomes()).map((one) => [one.renewal_id, one.channel, one.communication_id]);
    expect(outcomes.sort()).toEqual(
      sends.flatMap(({ type, send_id }) => ids.map((renewal_id) => [renewal_id, type, send_id])).sort(),
    );
  });

  test('goes by the channels of the most urgent alone, also what would go by others', async () => {
    const [one, two, three] = [permit(), policy({ rung: '14' }), fired({ rung: '90', due_date: '2026-05-30' })];
    await night(one, two, three);
    expect(about(await alerts.sends())).toEqual([
      ['MESSAGING_APP', [two.renewal_id, one.renewal_id, three.renewal_id]],
    ]);
    expect(await alerts.tasks()).toHaveLength(1);
  });

  test('is said in the language of the customer', async () => {
    desk.customers(cardOf({ locale: 'de-CH' }));
    await night(permit(), policy());
    const app = (await alerts.sends()).find(({ type }) => type === 'MESSAGING_APP');
    expect(app?.body).toContain('- Aufenthaltstitel: 30. April 2026 (verbleibende Tage: 60)\n');
    expect(app?.body).toContain('- Car insurance P-7: 31. März 2026 (verbleibende Tage: 30)\n');
  });

  test('is the message of a single one where it is one, and no letter of another customer', async () => {
    desk.customers(cardOf(), cardOf({ id: 'C-2', name: 'Bea Demo' }));
    const [one, other] = [permit(), permit({ customer_id: 'C-2' })];
    await night(one, other);
    const sends = await alerts.sends();
    expect(sends.map(({ customer_id, type, renewal_ids }) => [customer_id, type, renewal_ids]).sort()).toEqual([
      ['C-1', 'EMAIL', [one.renewal_id]],
      ['C-1', 'MESSAGING_APP', [one.renewal_id]],
      ['C-2', 'EMAIL', [other.renewal_id]],
      ['C-2', 'MESSAGING_APP', [other.renewal_id]],
    ]);
    expect(sends.find(({ type }) => type === 'EMAIL')?.subject).toBe('Residence permit: let us begin');
  });

  test('is begun by no process that stops, and written by the next turn', async () => {
    await alerts.planAll(permit());
    await alerts.finish(run, 1);
    expect(await writeLetters(desk.deps, desk.db, () => false)).toEqual({ written: 0 });
    expect(await writeLetters(desk.deps, desk.db)).toEqual({ written: 1 });
    expect(await alerts.sends()).toHaveLength(2);
  });

  test('waits for what was fired and not decided yet, though its refresh is over', async () => {
    const [one, two] = [permit(), policy()];
    await alerts.finish(run, 2);
    await alerts.planAll(one);
    await alerts.writeLetters();
    expect(await alerts.sends()).toEqual([]);
    await alerts.planAll(two);
    await alerts.writeLetters();
    expect(about(await alerts.sends())[0]?.[1]).toEqual([two.renewal_id, one.renewal_id]);
  });

  test('is written a quarter of an hour after the last of it, heard of the end or not; what comes later goes by itself', async () => {
    const [one, two, late] = [permit(), policy(), permit()];
    await alerts.planAll(one);
    desk.passMs(14 * 60_000);
    await alerts.planAll(two);
    desk.passMs(14 * 60_000);
    await alerts.writeLetters();
    expect(await alerts.sends()).toEqual([]);
    desk.passMs(60_000);
    await alerts.writeLetters();
    expect(await alerts.sends()).toHaveLength(2);
    await alerts.planAll(late);
    await alerts.finish(run, 3);
    await alerts.writeLetters();
    expect(about((await alerts.sends()).slice(2))).toEqual([
      ['MESSAGING_APP', [late.renewal_id]],
      ['EMAIL', [late.renewal_id]],
    ]);
  });

  test('without the run that fired it: each by itself, at once', async () => {
    await alerts.planAll(permit({ run_id: null }), policy({ run_id: null }));
    expect((await alerts.sends()).map(({ renewal_ids }) => renewal_ids.length)).toEqual([1, 1, 1, 1]);
  });

  test('does not keep its tasks waiting', async () => {
    await alerts.planAll(policy({ rung: '7' }), permit());
    expect(await alerts.tasks()).toHaveLength(1);
    expect(await alerts.sends()).toEqual([]);
  });

  test('is written once, by however many at once, and again by none after one that broke off', async () => {
    const all = [permit(), policy()];
    await alerts.planAll(...all);
    await alerts.finish(run, 2);
    const { outbox } = desk.deps;
    const broken = alertsAt({
      ...desk,
      deps: { ...desk.deps, outbox: { ...outbox, addMany: () => Promise.reject(new Error('killed')) } },
    });
    await broken.writeLetters();
    expect(await alerts.sends()).toEqual([]);
    expect(await oldestSeconds()).toBeGreaterThan(0);
    desk.passMs(10 * 60_000);
    await Promise.all([1, 2, 3].map(() => alerts.writeLetters()));
    expect((await alerts.sends()).map(({ type }) => type).sort()).toEqual(['EMAIL', 'MESSAGING_APP']);
    expect(await oldestSeconds()).toBe(0);
  });

  test('is written seconds later when the database went away while it was written', async () => {
    await alerts.planAll(permit());
    await alerts.finish(run, 1);
    await alertsAt(cutOff(desk)).writeLetters();
    expect(await alerts.sends()).toEqual([]);
    desk.passMs(5_000);
    await alerts.writeLetters();
    expect(await alerts.sends()).toHaveLength(2);
  });

  test('leaves out what was closed or held meanwhile, and says so of it', async () => {
    const [one, two, three] = [permit(), policy(), permit()];
    await alerts.planAll(one, two, three);
    await alerts.follow(completed(one), changed(two, { hold: { because: 'started', until: null } }));
    await alerts.finish(run, 3);
    await alerts.writeLetters();
    expect(about(await alerts.sends())).toEqual([
      ['MESSAGING_APP', [three.renewal_id]],
      ['EMAIL', [three.renewal_id]],
    ]);
    const reasons = (await alerts.outcomes())
      .filter(({ outcome }) => outcome === 'cancelled')
      .map(({ renewal_id, channel, reason }) => [renewal_id, channel, reason?.code]);
    expect(reasons.sort()).toEqual(
      [
        [one.renewal_id, 'EMAIL', 'renewal_completed'],
        [one.renewal_id, 'MESSAGING_APP', 'renewal_completed'],
        [two.renewal_id, 'EMAIL', 'held'],
        [two.renewal_id, 'MESSAGING_APP', 'held'],
      ].sort(),
    );
  });
});

describe('before a letter leaves', () => {
  const held = { because: 'answered' as const, until: '2026-03-15' };
  let one: Triggered;
  let two: Triggered;
  let three: Triggered;
  let mail: Send;
  beforeEach(async () => {
    [one, two, three] = [permit(), policy(), permit()];
    await night(one, two, three);
    mail = (await alerts.sends()).find(({ type }) => type === 'EMAIL') as Send;
  });

  const mails = async () =>
    (await alerts.sends()).filter(({ type }) => type === 'EMAIL').map(({ renewal_ids }) => renewal_ids);
  const whole = () => [two.renewal_id, ...[one.renewal_id, three.renewal_id].sort()];
  const rest = () => [one.renewal_id, three.renewal_id].sort();
  const stopped = async (code: string) =>
    expect((await alerts.deliveryNews()).map(({ status, failure }) => [status, failure?.code])).toEqual([
      ['CANCELLED', code],
    ]);

  test('one that it names is over: it is cancelled, and another one written for the rest, once', async () => {
    await queue(mail);
    await alerts.follow(completed(two));
    await stopped('renewal_completed');
    await hearAll();
    await hearAll();
    await alerts.writeLetters();
    expect(await mails()).toEqual([whole(), rest()]);
    expect(await desk.worker.runOnce()).toEqual({ taken: 0 });
    const told = (await alerts.outcomes()).filter(({ channel }) => channel === 'EMAIL').slice(3);
    const again = (await alerts.sends()).at(-1)?.send_id;
    expect(told.map(({ renewal_id, outcome, communication_id }) => [renewal_id, outcome, communication_id])).toEqual([
      [two.renewal_id, 'cancelled', mail.send_id],
      ...rest().map((id) => [id, 'planned', again]),
    ]);
  });

  test('one is over before comms-service has queued it', async () => {
    await alerts.follow(completed(two));
    await queue(mail);
    await stopped('renewal_completed');
    await hearAll();
    await alerts.writeLetters();
    expect(await mails()).toEqual([whole(), rest()]);
  });

  test('one is held, which nobody has told us yet: it is asked for right before, and the same follows', async () => {
    await queue(mail);
    const { standing } = desk.deps.renewals;
    desk.deps.renewals.standing = async (id) => ({
      ...(await standing(id)),
      ...(id === one.renewal_id ? { hold: held } : {}),
    });
    await desk.worker.runOnce();
    expect(desk.sent).toEqual([]);
    await stopped('held');
    await hearAll();
    await alerts.writeLetters();
    desk.deps.renewals.standing = standing;
    expect(await mails()).toEqual([whole(), [two.renewal_id, three.renewal_id]]);
    await queue((await alerts.sends()).at(-1) as Send);
    await desk.worker.runOnce();
    expect(desk.sent).toHaveLength(1);
  });

  test('all that it names are over: no other is written', async () => {
    await queue(mail);
    await alerts.follow(completed(one), completed(two), completed(three));
    await hearAll();
    await alerts.writeLetters();
    expect(await mails()).toEqual([whole()]);
  });

  test('put off into the morning, that is told of each', async () => {
    await queue(mail);
    desk.passMs(11 * 3_600_000);
    await desk.worker.runOnce();
    const waiting = (await alerts.outcomes()).slice(6);
    expect(waiting.map(({ renewal_id }) => renewal_id).sort()).toEqual(whole().sort());
    expect(new Set(waiting.map(({ send_after }) => send_after)).size).toBe(1);
    desk.passMs(-11 * 3_600_000);
  });

  test('nothing is against it: it leaves', async () => {
    await queue(mail);
    await desk.worker.runOnce();
    expect(desk.sent).toHaveLength(1);
  });

  test('sent again by staff after it failed: refused if one that it names is over', async () => {
    const ask = () => readOvertaking(desk.deps, desk.db, mail.send_id);
    await alerts.hear(deliveryOf({ communication_id: mail.send_id, status: 'FAILED' }));
    expect(await ask()).toBeNull();
    await alerts.follow(completed(three));
    expect(await ask()).toMatchObject({ message: 'The renewal was completed', newest_alert: null });
  });

  test('sent again by staff after one that it names was moved: refused with the newest alert, and which renewal that is of', async () => {
    await alerts.hear(deliveryOf({ communication_id: mail.send_id, status: 'FAILED' }));
    await alerts.planAll(fired({ ...three, due_date: '2026-03-11', rung: '14', version: 2 }));
    expect(await readOvertaking(desk.deps, desk.db, mail.send_id)).toMatchObject({
      newest_alert: { renewal_id: three.renewal_id, rung: '14', due_date: '2026-03-11', days_until_due: 10 },
    });
  });
});

describe('a letter that failed', () => {
  const failed = (communication_id: string) => deliveryOf({ communication_id, status: 'FAILED' });
  const byType = async (type: string) => (await alerts.sends()).filter((one) => one.type === type);
  const neverConfirmed = async () => {
    const [app] = await byType('MESSAGING_APP');
    const at = desk.deps.now().toISOString();
    await alerts.hear(deliveryOf({ communication_id: app?.send_id as string, status: 'SENT', occurred_at: at }));
    desk.passMs(72 * 3_600_000);
  };

  test('failed for each that it names: one by the next channel, and when that fails one task each', async () => {
    const [one, two] = [permit({ rung: '14' }), policy({ rung: '14' })];
    await night(one, two);
    const [app] = await byType('MESSAGING_APP');
    await alerts.hear(failed(app?.send_id as string));
    await alerts.writeLetters();
    const [mail, ...more] = await byType('EMAIL');
    expect(more).toEqual([]);
    expect(mail?.renewal_ids).toEqual([two.renewal_id, one.renewal_id]);
    await alerts.hear(failed(mail?.send_id as string));
    await alerts.writeLetters();
    const [sms] = await byType('SMS');
    expect(sms?.renewal_ids).toEqual([two.renewal_id, one.renewal_id]);
    await alerts.hear(failed(sms?.send_id as string));
    await alerts.writeLetters();
    expect(await alerts.sends()).toHaveLength(3);
    const tasks = (await alerts.tasks()).map(({ renewal_id, notes }) => [renewal_id, notes]);
    expect(tasks.sort()).toEqual(
      [one, two].map(({ renewal_id }) => [renewal_id, expect.stringContaining('No message reached')]).sort(),
    );
  });

  test('by all its channels at once, of which a step would have used one: one letter by the next', async () => {
    const [one, two] = [policy(), permit()];
    await alerts.planAll(one);
    await alerts.planAgain({ ...two, step: '1', does: { channels: ['EMAIL'], task: null } });
    await alerts.finish(run, 2);
    await alerts.writeLetters();
    const ids = [one.renewal_id, two.renewal_id];
    const sent = await alerts.sends();
    expect(about(sent).sort()).toEqual([
      ['EMAIL', ids],
      ['MESSAGING_APP', ids],
    ]);
    await alerts.hear(...sent.map(({ send_id }) => failed(send_id)));
    await alerts.writeLetters();
    expect(about(await byType('SMS'))).toEqual([['SMS', ids]]);
  });

  test('takes along what by itself would have gone by other channels', async () => {
    const [one, two] = [permit({ rung: '60' }), policy({ rung: '14' })];
    await night(one, two);
    const [app] = await byType('MESSAGING_APP');
    await alerts.hear(failed(app?.send_id as string));
    await alerts.writeLetters();
    expect((await byType('EMAIL')).map(({ renewal_ids }) => renewal_ids)).toEqual([[two.renewal_id, one.renewal_id]]);
  });

  test('never confirmed within 72 hours, it is followed by one as well', async () => {
    const [one, two] = [permit({ rung: '14' }), policy({ rung: '14' })];
    await night(one, two);
    await neverConfirmed();
    await alerts.lookAgain();
    await alerts.writeLetters();
    expect((await byType('EMAIL')).map(({ renewal_ids }) => renewal_ids.length)).toEqual([2]);
    desk.passMs(-72 * 3_600_000);
  });

  test('never confirmed, of more renewals than are looked at in one go: still one letter by the next', async () => {
    const all = Array.from({ length: 60 }, () => permit({ rung: '14' }));
    await night(...all);
    await neverConfirmed();
    await alerts.lookAgain();
    await alerts.writeLetters();
    await alerts.lookAgain();
    await alerts.writeLetters();
    expect((await byType('EMAIL')).map(({ renewal_ids }) => renewal_ids.length)).toEqual([60]);
    desk.passMs(-72 * 3_600_000);
  });

  test('that reached the customer did so for each: nothing follows', async () => {
    await night(permit({ rung: '14' }), policy({ rung: '14' }));
    const [app] = await byType('MESSAGING_APP');
    await alerts.hear(deliveryOf({ communication_id: app?.send_id as string, status: 'DELIVERED' }));
    await alerts.lookAgain();
    await alerts.writeLetters();
    expect(await alerts.sends()).toHaveLength(1);
    expect(await alerts.tasks()).toHaveLength(2);
  });
});
