import { addDays } from '@ops/contracts/dates';
import type { PutCustomer } from '@ops/contracts/resources/customer';
import { type Db, inTransaction, type Trx } from '@ops/service-kit/database';
import { ProblemError } from '@ops/service-kit/errors';
import { putCustomer } from '../../services/comms-service/src/customers/customer-service.ts';
import { said, told } from '../../services/comms-service/test/message.ts';
import { putAgent } from '../../services/notifier/src/tasks/agent-service.ts';
import { patchTask } from '../../services/notifier/src/tasks/task-service.ts';
import { completeRenewal, reopenRenewal } from '../../services/renewals-service/src/renewals/completion-service.ts';
import { acknowledgeRenewal, releaseRenewal } from '../../services/renewals-service/src/renewals/hold-service.ts';
import {
  cancelRenewal,
  patchRenewal,
  startRenewal,
} from '../../services/renewals-service/src/renewals/renewal-service.ts';
import { watchExpiry } from '../../services/renewals-service/src/renewals/watch-service.ts';
import { policyCancelled, policyIssued } from '../../services/renewals-service/test/upstream.ts';
import type { Firm } from './firm.ts';

export const agents = ['ada', 'bob', 'cleo', 'dan'];

/** Who works here and whom for, and what they have done. */
export interface People {
  firm: Firm;
  customers: number;
  /** That upstream told of. */
  policies: string[];
  did: { answers: number; absences: number; withDeputy: number; tasksClosed: number; policiesEnded: number };
}

export async function arrive(firm: Firm, { customers, renewals }: { customers: number; renewals: number }) {
  const did = { answers: 0, absences: 0, withDeputy: 0, tasksClosed: 0, policiesEnded: 0 };
  const people: People = { firm, customers, policies: [], did };
  for (const name of agents) await describe(people, name, { name });
  for (let n = 0; n < customers; n += 1) if (n % 12 > 0) await welcome(people, n);
  await firm.courier.carry();
  for (let n = 0; n < renewals; n += 1) await watch(people);
  return people;
}

const describe = ({ firm: { notifier } }: People, id: string, as: Parameters<typeof putAgent>[3]) =>
  inTransaction(notifier.db, (trx) => putAgent(notifier.deps, trx, id, as, undefined));

const phoneOf = (n: number) => `+44770090${1000 + n}`;

const byStaff = { actor: { sub: 'agent-1', role: 'staff' }, ifMatch: undefined } as const;

async function welcome({ firm: { comms, random } }: People, n: number): Promise<void> {
  const wanted: PutCustomer = {
    name: `Demo ${n}`,
    phones: random.below(10) > 0 ? [phoneOf(n)] : [],
    emails: random.below(10) > 1 ? [`demo-${n}@example.com`] : [],
    assigned_agent: random.pick([...agents, null]),
    preferred_channel: random.pick([null, null, 'EMAIL', 'SMS'] as const),
    do_not_contact: random.below(15) === 0,
  };
  await inTransaction(comms.db, (trx) => putCustomer(comms.deps, trx, `C-${n}`, wanted, byStaff));
}

const someDate = ({ firm: { clock, random } }: People) => addDays(clock.today(), random.below(400) - 20);

async function watch(people: People): Promise<void> {
  const { firm, customers } = people;
  const { random, renewals } = firm;
  const wanted = {
    customer_id: `C-${random.below(customers)}`,
    service_type: random.pick(['RESIDENCE_PERMIT', 'INSURANCE_POLICY', 'OTHER']),
    due_date: someDate(people),
    silent_through: random.pick([null, null, null, null, '30', 'OVERDUE'] as const),
    policy_id: null,
    notes: null,
    assigned_agent: random.pick([...agents, null, null]),
  };
  await inTransaction(renewals.db, (trx) => watchExpiry(renewals.deps, trx, [wanted]));
}

/** Upstream tells of policies of one customer that end on the same day. */
async function issuePolicies(people: People): Promise<void> {
  const { customers, policies } = people;
  const { random, courier, clock } = people.firm;
  const customer_id = `C-${random.below(customers)}`;
  const end = someDate(people);
  for (let n = 2 + random.below(2); n > 0; n -= 1) {
    const id = `P-${policies.length}`;
    policies.push(id);
    courier.bring(policyIssued(id, end, { customer_id }, { time: clock.now().toISOString() }));
  }
}

async function endPolicy({ firm: { random, courier, clock }, policies, did }: People): Promise<void> {
  if (policies.length === 0) return;
  courier.bring(policyCancelled(random.pick(policies), { time: clock.now().toISOString() }));
  did.policiesEnded += 1;
}

/** What somebody does on a day, allowed or not. */
export async function actOnce(people: People): Promise<void> {
  const { random } = people.firm;
  const others = [
    watch,
    watch,
    issuePolicies,
    endPolicy,
    answer,
    answer,
    answer,
    answer,
    beAway,
    beAway,
    closeTask,
    closeTask,
  ];
  await random.pick([...others, changeAddress, changeAddress, welcomeSomebody, ...onRenewals])(people);
}

type Act = (people: People) => Promise<unknown>;

const onRenewal =
  (change: (people: People, trx: Trx, id: string) => Promise<unknown>): Act =>
  async (people) => {
    const { renewals, random } = people.firm;
    const ids: string[] = await renewals.db('renewals').orderBy('created_at').orderBy('id').pluck('id');
    await ifAllowed(renewals.db, (trx) => change(people, trx, random.pick(ids)));
  };

const onRenewals: readonly Act[] = [
  onRenewal((people, trx, id) => patchRenewal(depsOf(people), trx, id, { due_date: someDate(people) }, undefined)),
  onRenewal((people, trx, id) => startRenewal(depsOf(people), trx, id, undefined)),
  onRenewal((people, trx, id) => completeRenewal(depsOf(people), trx, id, {}, undefined)),
  onRenewal((people, trx, id) => cancelRenewal(depsOf(people), trx, id, {}, undefined)),
  onRenewal((people, trx, id) => reopenRenewal(depsOf(people), trx, id, undefined)),
  onRenewal((people, trx, id) => releaseRenewal(depsOf(people), trx, id, undefined)),
  onRenewal((people, trx, id) => {
    const until = addDays(people.firm.clock.today(), 1 + people.firm.random.below(40));
    return acknowledgeRenewal(depsOf(people), trx, { id, input: { until }, by: 'ada', ifMatch: undefined });
  }),
];

const depsOf = ({ firm }: People) => firm.renewals.deps;

async function ifAllowed(db: Db, work: (trx: Trx) => Promise<unknown>): Promise<void> {
  await inTransaction(db, work).catch((error: unknown) => {
    if (!(error instanceof ProblemError) || error.status >= 500) throw error;
  });
}

/** Somebody who was written to by messaging app writes back. */
async function answer({ firm, did }: People): Promise<void> {
  const { outside, courier, clock, random } = firm;
  const written = outside.sent.filter(({ channel, to }) => channel === 'MESSAGING_APP' && to !== '').slice(-8);
  if (written.length === 0) return;
  const { to, external_id } = random.pick(written);
  const at = clock.now().toISOString();
  const answers = { external_ids: [external_id], token: null };
  courier.bring(told(said({ sender: { phone: to }, answers, occurred_at: at, received_at: at })));
  did.answers += 1;
}

async function beAway(people: People): Promise<void> {
  const { clock, random, notifier } = people.firm;
  const id = random.pick(agents);
  const deputy = random.pick([...agents.filter((one) => one !== id), null, null]);
  const absent_until = addDays(clock.today(), 1 + random.below(21));
  await ifAllowed(notifier.db, (trx) =>
    putAgent(notifier.deps, trx, id, { name: id, absent_until, deputy }, undefined),
  );
  people.did.absences += 1;
  if (deputy) people.did.withDeputy += 1;
}

async function closeTask({ firm: { notifier, random }, did }: People): Promise<void> {
  const open = await notifier.db('tasks').where({ status: 'OPEN' }).orderBy('created_at').orderBy('id').pluck('id');
  if (open.length === 0) return;
  await ifAllowed(notifier.db, (trx) =>
    patchTask(notifier.deps, trx, random.pick(open), { status: 'DONE' }, undefined),
  );
  did.tasksClosed += 1;
}

const changeAddress: Act = async ({ firm }) => firm.outside.change();

const welcomeSomebody: Act = (people) => welcome(people, people.firm.random.below(people.customers));
