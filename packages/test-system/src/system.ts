import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { QueueSpec } from '@ops/bus/port';
import { forgetOnBroker, waitingOnBroker } from '@ops/bus/test/broker';
import { topology as commsTopology } from '@ops/comms-service/topology';
import { weekdays } from '@ops/contracts/resources/calendar';
import type { Role } from '@ops/contracts/roles';
import { type ProcessName, type ServiceName, serviceNames } from '@ops/contracts/routes';
import { type ApiClient, clientOf, createClient } from '@ops/contracts/test/http-client';
import { requestToken } from '@ops/demo/request-token';
import { generateSecrets, type SystemSecrets } from '@ops/embedded/secrets';
import { type System as Composed, composeSystem, type DatabaseUrls } from '@ops/embedded/system';
import { describeEnding, type Ending } from '@ops/machine/child-process';
import { type ManagedProcess, manageProcess, type ProcessSpec } from '@ops/machine/managed-process';
import { reservePort } from '@ops/machine/ports';
import { topology as notifierTopology } from '@ops/notifier/topology';
import { createSimulator, type Simulator } from '@ops/provider-sim/test/simulator';
import { topology as renewalsTopology } from '@ops/renewals-service/topology';
import { testBroker } from '@ops/test-kit/broker';
import { eventually } from '@ops/test-kit/eventually';
import { type LiveEvents, listen } from '@ops/test-kit/live-events';
import { captureLog } from '@ops/test-kit/logs';
import { topology as ingestTopology } from '@ops/webhook-ingest/topology';
import knex, { type Knex } from 'knex';
import { createTestDatabase, type DatabaseOwner, prepareOwnDatabase } from './database.ts';
import { providerSecrets } from './provider-secrets.ts';
import { type RunningSystem, readRunningSystem } from './running-system.ts';

export interface SystemOptions {
  bus: 'postgres' | 'rabbitmq';
  /** Settings for every process, on top of the usual ones. */
  env?: Record<string, string>;
  /** A broker of the test's own instead of the run's. */
  amqpUrl?: string;
  /** An administrator's, of a Postgres of the test's own instead of the run's. */
  databaseUrl?: string;
  /** The port of what stands before that Postgres, by which all but the administrator come. */
  pooler?: number;
  /** For who speaks to a service as the gateway does; else nobody but the system knows them. */
  secrets?: SystemSecrets;
  /** Ports of the test's own at which the processes are reached by each other and from outside. */
  doors?: Record<ProcessName, number>;
}

/** The whole system as processes of its own, on a database, a broker namespace and ports of its own. */
export interface System {
  gatewayUrl: string;
  /** Whom the gateway believes. */
  issuer: string;
  serviceUrl(name: ServiceName): string;
  /** Where a process answers /metrics. */
  metricsUrl(name: ProcessName): string;
  /** Everybody outside: their phones and mailboxes, and what goes wrong on the way. */
  simulator: Simulator;
  token(role: Role, sub?: string): Promise<string>;
  /** Calls the gateway as a person in this role; for `customer` the sub is the customer id. */
  client(role: Role, sub?: string): Promise<ApiClient>;
  anonymous(): ApiClient;
  /** Live screens' events as this role sees them, from now on. */
  stream(role: Role, sub?: string): Promise<LiveEvents>;
  /** As the role of one schema sees it. */
  database(owner: DatabaseOwner): Knex;
  /** Events on their way, not yet published, in a queue, waiting for a retry or given up: how many wait where. */
  eventsWaiting(): Promise<Record<string, number>>;
  /** One more process, told what the owner's is told; it says when it is ready as services do. `queues` are its own. */
  addProcess(name: string, entry: URL, owner: ProcessName, queues?: readonly QueueSpec[]): Promise<void>;
  /** Where a process listens since it was last started. */
  portOf(name: string): number;
  /** SIGKILL. */
  kill(name: string): Promise<void>;
  /** Brings it back, or replaces it by a fresh one when it still runs, which has so long to stop. */
  restart(name: string, deadlineMs?: number): Promise<void>;
  /** Rejects when a process ended that nobody killed. */
  stop(): Promise<void>;
}

/** A system that runs already, told of in the file RUNNING_SYSTEM names, is used as it is: see `running-system.ts`. */
export async function startSystem(options: SystemOptions): Promise<System> {
  const file = process.env.RUNNING_SYSTEM;
  if (!file) return (await startOwnSystem(options)).system;
  const system = joinSystem(await readRunningSystem(file));
  await workAlways(system.database('notifier'));
  return system;
}

/** As in the demo: what a suite sees does not hang on the day and hour at which it runs. */
const workAlways = (notifier: Knex): Promise<unknown> =>
  notifier('calendar').update({
    working_days: JSON.stringify(weekdays),
    hours: JSON.stringify({ from: '00:00', until: '24:00' }),
  });

/**
 * The system that the suites of a run share: for who needs no settings of its own, kills nothing, brings customers of its
 * own with addresses of their own, and counts nothing that others add to. Nights and retention begin when they are called.
 */
export async function sharedSystem(bus: SystemOptions['bus']): Promise<System> {
  if (process.env.RUNNING_SYSTEM) return startSystem({ bus });
  const shared = `${process.env.TEST_SYSTEMS_URL}/${bus}`;
  const answer = await fetch(shared, { method: 'POST' });
  if (!answer.ok) throw new Error(`the shared system does not run: ${await answer.text()}`);
  const system = joinSystem((await answer.json()) as RunningSystem);
  const leave = async () => {
    await system.stop();
    await fetch(shared, { method: 'DELETE' });
  };
  return { ...system, stop: leave };
}

export async function startOwnSystem(options: SystemOptions): Promise<{ system: System; told: RunningSystem }> {
  const [database, dataDir, gatewayPort] = await Promise.all([
    options.databaseUrl ? prepareOwnDatabase(options.databaseUrl, options.pooler) : createTestDatabase(),
    mkdtemp(join(tmpdir(), 'ops-test-system-')),
    reservePort(),
  ]);
  const crashes: string[] = [];
  const added: QueueSpec[] = [];
  const crashed = (spec: ProcessSpec, ending: Ending) => void crashes.push(`${spec.name} ${describeEnding(ending)}`);
  const secrets = options.secrets ?? generateSecrets();
  const env = { ...providerSecrets, ...options.env };
  const broker = brokerOf(options, () => handles);
  const doors = options.doors && { doors: options.doors };
  const settings = { dataDir, gatewayPort, databaseUrls: database.urls, secrets, env, ...doors, ...broker.settings };
  const composed = await composeSystem(settings, captureLog, crashed);
  const handles = openHandles(database.urls);
  const start = async () => {
    await composed.start();
    await Promise.all([workAlways(handles.of('notifier')), introduceIssuer(composed)]);
  };
  const stop = async () => {
    await composed.stop();
    await handles.close();
    await broker.forget(added);
    await Promise.all([database.drop(), rm(dataDir, { recursive: true, force: true })]);
    if (crashes.length > 0) throw new Error(`ended, though nobody asked it to: ${crashes.join('; ')}`);
  };
  await start().catch(async (error) => {
    await stop().catch(() => undefined);
    throw error;
  });
  const eventsWaiting = () => whereEventsWait(broker, added, handles);
  const metricsUrl = (name: string) => `http://127.0.0.1:${composed.ready.get(name)?.metricsPort}/metrics`;
  const system: System = {
    ...calls(composed),
    metricsUrl,
    ...processes(composed, crashed, added),
    database: handles.of,
    eventsWaiting,
    stop,
  };
  const names = [...serviceNames, 'gateway'] as const;
  const told: RunningSystem = {
    gatewayUrl: composed.gatewayUrl,
    simulatorUrl: composed.simulatorUrl,
    issuer: composed.issuer,
    tokenClient: composed.tokenClient,
    serviceUrls: composed.serviceUrls,
    metricsUrls: Object.fromEntries(names.map((name) => [name, metricsUrl(name)])) as RunningSystem['metricsUrls'],
    databaseUrls: database.urls,
    ...broker.settings,
  };
  return { system, told };
}

function joinSystem({ databaseUrls, amqpUrl, busNamespace, metricsUrls, ...running }: RunningSystem): System {
  const handles = openHandles(databaseUrls);
  const notOurs = () => Promise.reject(new Error('a running system is not for tests to kill or to add to'));
  const options: SystemOptions = amqpUrl ? { bus: 'rabbitmq', amqpUrl } : { bus: 'postgres' };
  const broker = brokerOf(options, () => handles, busNamespace);
  const eventsWaiting = () => whereEventsWait(broker, [], handles);
  return {
    ...calls(running),
    metricsUrl: (name) => metricsUrls[name],
    database: handles.of,
    eventsWaiting,
    stop: async () => void (await handles.close()),
    addProcess: notOurs,
    portOf: () => {
      throw new Error('a running system tells no ports');
    },
    kill: notOurs,
    restart: notOurs,
  };
}

/**
 * The gateway asks for its keys with the first token it is shown: where many systems start at once, it may be told too late.
 * Asked itself: what stands before it may not know of it yet.
 */
async function introduceIssuer(composed: Composed): Promise<void> {
  const gatewayUrl = `http://127.0.0.1:${composed.ready.get('gateway')?.port}`;
  const staff = await calls({ ...composed, gatewayUrl }).client('staff');
  await staff.get('/ops/me');
}

interface Broker {
  settings: { amqpUrl?: string; busNamespace?: string };
  forget(added: readonly QueueSpec[]): Promise<void>;
  waiting(added: readonly QueueSpec[]): Promise<[string, number][]>;
}

function brokerOf({ bus, amqpUrl }: SystemOptions, handles: () => Handles, given?: string): Broker {
  if (bus === 'postgres') {
    return { settings: {}, forget: async () => undefined, waiting: () => jobsByTask(handles()) };
  }
  const own = testBroker();
  const [url, namespace] = [amqpUrl ?? own.url, given ?? own.namespace];
  const all = (added: readonly QueueSpec[]) => [...queuesOfServices, ...added];
  return {
    settings: { amqpUrl: url, busNamespace: namespace },
    // A broker of the test's own goes with all that is in it.
    forget: async (added) => (amqpUrl ? undefined : forgetOnBroker(url, namespace, all(added))),
    waiting: (added) => waitingOnBroker(url, namespace, all(added)),
  };
}

async function whereEventsWait(broker: Broker, added: readonly QueueSpec[], handles: Handles) {
  const counts = await Promise.all([broker.waiting(added), unpublishedOrGivenUp(handles)]);
  return Object.fromEntries(counts.flat().filter(([, waiting]) => waiting > 0));
}

const owners = ['comms', 'renewals', 'ingest', 'notifier'] as const;

/** Each sees its own. */
async function jobsByTask({ of }: Handles): Promise<[string, number][]> {
  const counts = await Promise.all(
    owners.map((owner) =>
      of(owner).raw<{ rows: { task: string; number: string }[] }>(
        `SELECT task.identifier AS task, count(*) AS number
         FROM bus._private_jobs AS job JOIN bus._private_tasks AS task ON task.id = job.task_id GROUP BY 1`,
      ),
    ),
  );
  return counts.flatMap(({ rows }) => rows.map(({ task, number }): [string, number] => [task, Number(number)]));
}

async function unpublishedOrGivenUp({ of }: Handles): Promise<[string, number][]> {
  const counts = owners.flatMap((owner) => [
    counted(`outbox of ${owner}`, of(owner)('outbox').whereNull('published_at')),
    counted(`dead letters of ${owner}`, of(owner)('dead_letters').whereNull('replayed_at')),
  ]);
  return Promise.all(counts);
}

const counted = async (where: string, rows: Knex.QueryBuilder): Promise<[string, number]> => [
  where,
  Number((await rows.count({ number: '*' }))[0]?.number ?? 0),
];

/** Every queue that a service reads. */
export const queuesOfServices: readonly QueueSpec[] = [
  commsTopology,
  renewalsTopology,
  ingestTopology,
  notifierTopology,
].flatMap(({ queues }) => Object.values<QueueSpec>(queues));

function calls(composed: Pick<Composed, 'gatewayUrl' | 'simulatorUrl' | 'serviceUrls' | 'issuer' | 'tokenClient'>) {
  const { gatewayUrl, issuer, tokenClient } = composed;
  const token = (role: Role, sub?: string) => requestToken(issuer, tokenClient, role, sub);
  const headers = async (role: Role, sub?: string) => ({ authorization: `Bearer ${await token(role, sub)}` });
  return {
    gatewayUrl,
    issuer,
    simulator: createSimulator(composed.simulatorUrl),
    serviceUrl: (name: ServiceName) => composed.serviceUrls[name],
    token,
    client: async (role: Role, sub?: string) => {
      const fixed = await headers(role, sub);
      return insistent(createClient(gatewayUrl, async () => fixed));
    },
    anonymous: () => createClient(gatewayUrl),
    stream: async (role: Role, sub?: string) => listen(`${gatewayUrl}/ops/stream`, await headers(role, sub)),
  };
}

const happensOnce = new Set(['GET', 'PUT']);

/** Comes again when told to, as a program does, where nothing can happen twice by it: suites rarely look at what they set up. */
const insistent = ({ request }: ApiClient): ApiClient =>
  clientOf((method, path, options) => {
    const ask = () => request(method, path, options);
    if (!happensOnce.has(method)) return ask();
    return eventually(async () => {
      const answer = await ask();
      if (answer.status === 503) throw new Error(`${method} ${path} was answered 503: ${JSON.stringify(answer.body)}`);
      return answer;
    });
  });

function processes(composed: Composed, crashed: (spec: ProcessSpec, ending: Ending) => void, queuesAdded: QueueSpec[]) {
  const find = (name: string): ManagedProcess => {
    const found = composed.processes.find((one) => one.name === name);
    if (!found) throw new Error(`there is no process ${name}`);
    return found;
  };
  return {
    kill: (name: string) => find(name).kill(),
    portOf: (name: string) => composed.ready.get(name)?.port ?? 0,
    restart: async (name: string, deadlineMs?: number) => {
      await find(name).stop(deadlineMs);
      composed.ready.set(name, await find(name).start());
    },
    addProcess: async (name: string, entry: URL, owner: ProcessName, queues: readonly QueueSpec[] = []) => {
      queuesAdded.push(...queues);
      const env = { ...composed.specOf(owner).env, PORT: '0' };
      const added = manageProcess({ name, entry: fileURLToPath(entry), env }, captureLog(name), crashed);
      composed.processes.push(added);
      composed.ready.set(name, await added.start());
    },
  };
}

interface Handles {
  of(owner: DatabaseOwner): Knex;
  close(): Promise<unknown>;
}

function openHandles(urls: DatabaseUrls): Handles {
  const open = new Map<DatabaseOwner, Knex>();
  const of = (owner: DatabaseOwner): Knex => {
    const handle = open.get(owner) ?? knex({ client: 'pg', connection: urls[owner], pool: { min: 0, max: 4 } });
    open.set(owner, handle);
    return handle;
  };
  return { of, close: () => Promise.all([...open.values()].map((handle) => handle.destroy())) };
}
