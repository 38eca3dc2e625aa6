import type { Renewal } from '@ops/contracts/resources/renewal';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import type { Random } from '@ops/test-kit/random';
import { dateIn } from '@ops/test-kit/time-zones';
import type { System } from '@ops/test-system/system';
import { policyCancelled, policyIssued } from '../../services/renewals-service/test/upstream.ts';
import type { Client } from '../chaos/pages.ts';

/** Days ahead at which each rung fires. The day stays, so it is the date that comes nearer. */
const nearer = [85, 55, 25, 10, 5, -2];

/** A date of a customer. */
export interface Watched {
  /** In every text about it. */
  type: string;
  id: string;
  /** How many rungs its date has come nearer. */
  at: number;
  /** The policy upstream told of: this stands for it, or merely names it. */
  policy: { id: string; stands: boolean } | null;
}

export interface Customer {
  n: number;
  id: string;
  person: string;
  phone: string;
  email: string;
  watched: readonly [Watched, ...Watched[]];
}

/** With one, two or three dates, which mostly come near together. */
export function newCustomer(n: number, random: Random): Customer {
  const at = random.below(nearer.length - 1);
  const policy = random.below(3) > 0 ? `P-history-${n}` : null;
  const first: Watched = { ...watchedAs(n, 0, at), policy: policy ? { id: policy, stands: true } : null };
  const others = Array.from({ length: random.below(3) }, (_, k) => ({
    ...watchedAs(n, k + 1, random.below(4) > 0 ? at : random.below(nearer.length - 1)),
    policy: policy && k === 0 ? { id: policy, stands: false } : null,
  }));
  const [phone, email] = [`+4477006${String(n).padStart(5, '0')}`, `history-${n}@example.com`];
  return { n, id: `C-history-${n}`, person: '', phone, email, watched: [first, ...others] };
}

const watchedAs = (n: number, k: number, at: number): Watched => ({
  type: `DEMO_${String(n * 10 + k).padStart(6, '0')}`,
  id: '',
  at,
  policy: null,
});

export const isLast = ({ at }: Watched): boolean => at === nearer.length - 1;

/** What people and upstream do; `office` is where a day begins. */
export function actsOf({ system, staff, office }: { system: System; staff: Client; office: string }) {
  const tell = (event: (rest: { time: string }) => object) =>
    staff.post('/ops/events', event({ time: new Date().toISOString() }));
  const dueOf = (one: Watched) => dateIn(office, nearer[one.at]);

  async function introduce(customer: Customer): Promise<void> {
    const { id, phone, email } = customer;
    const name = canary();
    customer.person = (await system.simulator.person({ name, phone, email })).id;
    await staff.put(`/ops/customers/${id}`, { name, phones: [phone], emails: [email] });
    for (const one of customer.watched) await watch(customer, one);
  }

  async function watch({ id }: Customer, one: Watched): Promise<void> {
    const { type, policy } = one;
    const renewals = `/ops/customers/${id}/renewals`;
    if (policy?.stands) {
      const data = { customer_id: id, service_type: type };
      await tell((rest) => policyIssued(policy.id, dueOf(one), data, rest));
      await eventually(async () => {
        const { data } = (await staff.get(renewals)).body as { data: Renewal[] };
        one.id = data.find(({ service_type }) => service_type === type)?.id ?? '';
        if (one.id === '') throw new Error(`${type} is not watched yet`);
      });
    } else {
      const wanted = { service_type: type, due_date: dueOf(one), policy_id: policy?.id };
      one.id = ((await staff.post(renewals, wanted)).body as Renewal).id;
    }
  }

  const comeNearer = (one: Watched) => {
    one.at = Math.min(one.at + 1, nearer.length - 1);
    return staff.patch(`/ops/renewals/${one.id}`, { due_date: dueOf(one) });
  };

  /** What is done about a customer on a day, allowed or not. */
  function drawAct({ below, pick }: Random, { person, watched }: Customer): () => Promise<unknown> {
    const [what, one] = [below(17), pick(watched)];
    const change = (path: string, body?: object) => () => staff.patch(`/ops/renewals/${one.id}${path}`, body);
    if (what === 0) return change('/start');
    if (what === 1) return change('/acknowledge', { until: dateIn(office, 1 + below(20)) });
    if (what < 4) return change('/release');
    if (what === 4) return change('', { reminders: below(2) === 0 ? 'off' : 'on' });
    if (what === 5) return change(below(2) === 0 ? '/complete' : '/cancel');
    const { policy } = one;
    if (what === 6 && policy) return () => tell((rest) => policyCancelled(policy.id, rest));
    if (what < 9) return () => system.simulator.write(person, { channel: 'MESSAGING_APP', text: canary() });
    if (what === 9) return async () => undefined;
    return async () => {
      for (const each of watched) await comeNearer(each);
    };
  }

  return { introduce, drawAct };
}

/** Some addresses take nothing: at once, or only afterwards; and what goes well comes twice, late, or in another order. */
export function faultsFor(all: readonly Customer[], seed: number) {
  const some = (every: number, of: number, code: number, address: 'phone' | 'email') =>
    Object.fromEntries(all.filter(({ n }) => n % every === of).map((one) => [one[address], code]));
  return {
    seed,
    fail_rate: 0.05,
    hang_rate: 0.01,
    receipt_duplicate_rate: 0.2,
    receipt_reorder_rate: 0.2,
    receipt_early_rate: 0.2,
    refused: { ...some(5, 0, 131026, 'phone'), ...some(10, 0, 550, 'email') },
    undeliverable: { ...some(5, 1, 30003, 'phone'), ...some(10, 1, 550, 'email') },
  };
}
