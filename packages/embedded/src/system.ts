import { join } from 'node:path';
import { type ProcessName, type ServiceName, serviceNames } from '@ops/contracts/routes';
import type { TokenClient } from '@ops/demo/request-token';
import type { Ending, LogLine } from '@ops/machine/child-process';
import { type ManagedProcess, manageProcess, type ProcessSpec, type Ready } from '@ops/machine/managed-process';
import { type ReservedPort, reservePort } from '@ops/machine/ports';
import { schemaOf } from '@ops/service-kit/provision';
import { providerEnvironment, simulatedProviders } from './provider-environment.ts';
import { publicKeySet, type SystemSecrets } from './secrets.ts';

/** Address of each database role, as provisioning gives them. */
export type DatabaseUrls = Record<'comms' | 'renewals' | 'ingest' | 'notifier' | 'gateway', string>;

/** What the process table is made from; the supervisor and the tests differ in nothing else. */
export interface SystemSettings {
  /** The identity provider keeps its signing keys below it, the simulated providers their conversations. */
  dataDir: string;
  databaseUrls: DatabaseUrls;
  /** Given: RabbitMQ carries the events; else Postgres. */
  amqpUrl?: string | undefined;
  busNamespace?: string;
  secrets: SystemSecrets;
  /** Given: the gateway and the services speak HTTPS, by a certificate for `localhost`. */
  tls?: Record<'TLS_CA_FILE' | 'TLS_CERT_FILE' | 'TLS_KEY_FILE', string>;
  gatewayPort: ReservedPort;
  /** Given: the ports at which the gateway and the services are reached, where something stands before them. */
  doors?: Record<ProcessName, number>;
  /** Who has a phone and a mailbox from the start. */
  people?: readonly Acquaintance[];
  /** On top of this process's own environment. */
  env?: Record<string, string>;
}

export interface Acquaintance {
  name: string;
  phones?: string[];
  emails?: string[];
}

export interface System {
  gatewayUrl: string;
  /** Customers' phones and mailboxes. */
  simulatorUrl: string;
  issuer: string;
  tokenClient: TokenClient;
  serviceUrls: Record<ServiceName, string>;
  processes: ManagedProcess[];
  /** What each process said when it was ready, by name. */
  ready: Map<string, Ready>;
  specOf(name: string): ProcessSpec;
  start(): Promise<void>;
  /** The gateway first, so that nobody is served half; then all others at once. */
  stop(): Promise<void>;
}

const root = join(import.meta.dirname, '..', '..', '..');

/** All but the gateway. */
const behindTheGateway = ['dev-idp', 'provider-sim', ...serviceNames] as const;
type Ports = Record<(typeof behindTheGateway)[number] | 'smtp', ReservedPort>;

/** The whole system as processes, not yet started. */
export async function composeSystem(
  settings: SystemSettings,
  log: (name: string) => LogLine,
  crashed: (spec: ProcessSpec, ending: Ending) => void,
): Promise<System> {
  const ports = await reservePorts();
  const specs = processTable(settings, ports);
  const processes = specs.map((spec) => manageProcess(spec, log(spec.name), crashed));
  const ready = new Map<string, Ready>();
  const startOne = async (name: string, port: ReservedPort) => {
    await port.release();
    const one = processes.find((candidate) => candidate.name === name) as ManagedProcess;
    ready.set(name, await one.start());
  };
  return {
    gatewayUrl: gatewayUrl(settings),
    simulatorUrl: addressOf(ports['provider-sim']),
    issuer: addressOf(ports['dev-idp']),
    tokenClient: { id: tokenClientId, secret: settings.secrets.tokenClient },
    serviceUrls: serviceUrls(settings, ports),
    processes,
    ready,
    specOf: (name) => specs.find((spec) => spec.name === name) as ProcessSpec,
    start: async () => {
      await ports.smtp.release();
      const [identityProvider, ...others] = behindTheGateway.map((name) => startOne(name, ports[name]));
      // The gateway asks it while it starts, and nobody else before its first request.
      const gateway = identityProvider?.then(() => startOne('gateway', settings.gatewayPort));
      await Promise.all([identityProvider, gateway, ...others]);
    },
    stop: async () => {
      await processes.find(({ name }) => name === 'gateway')?.stop(3000);
      await Promise.all(processes.map((one) => one.stop(4000)));
    },
  };
}

async function reservePorts(): Promise<Ports> {
  const names = [...behindTheGateway, 'smtp'] as const;
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await reservePort()]))) as Ports;
}

const signInClientId = 'ops-gateway';
const tokenClientId = 'ops-token';
const addressOf = ({ port }: { port: number }) => `http://127.0.0.1:${port}`;
const secureAddressOf = ({ port }: { port: number }) => `https://localhost:${port}`;
const gatewayUrl = ({ gatewayPort, doors, tls }: SystemSettings) => {
  const port = doors?.gateway ?? gatewayPort.port;
  return tls ? secureAddressOf({ port }) : `http://localhost:${port}`;
};
const serviceUrls = ({ doors, tls }: SystemSettings, ports: Ports) => {
  const urlOf = (name: ServiceName) => (tls ? secureAddressOf : addressOf)({ port: doors?.[name] ?? ports[name].port });
  return Object.fromEntries(serviceNames.map((name) => [name, urlOf(name)])) as Record<ServiceName, string>;
};

function processTable(settings: SystemSettings, ports: Ports): ProcessSpec[] {
  const inherited = inheritedEnvironment(settings);
  const simulator = { port: ports['provider-sim'].port, smtpPort: ports.smtp.port };
  const providers = providerEnvironment(simulatedProviders(simulator, settings.secrets), inherited);
  const spec = (name: string, folder: string, env: NodeJS.ProcessEnv): ProcessSpec => ({
    name,
    entry: join(root, folder, 'src', 'main.ts'),
    env: { ...withoutFiles(inherited, Object.keys(env)), ...env },
  });
  return [
    spec('dev-idp', 'packages/dev-idp', identityProviderEnvironment(settings, ports)),
    spec('provider-sim', 'packages/provider-sim', { ...providers, ...simulatorEnvironment(settings, ports) }),
    ...serviceNames.map((name) =>
      spec(name, `services/${name}`, { ...providers, ...serviceEnvironment(name, settings, ports) }),
    ),
    spec('gateway', 'gateway', gatewayEnvironment(settings, ports)),
  ];
}

/** The caller's own business: what it means for a process of the system is decided by the table. */
const ofParts = ['DATABASE_URL', 'AMQP_URL', 'BUS_NAMESPACE'];
const callersOwn = [...ofParts, 'PORT', 'HOST', 'TLS_CERT', 'TLS_KEY', 'NODE_OPTIONS'];

/** Nothing else calls for a nightly refresh here; a caller who sets it to nothing wants none. */
const usual = ({ REFRESH_CRON_FILE }: NodeJS.ProcessEnv) => (REFRESH_CRON_FILE ? {} : { REFRESH_CRON: '0 2 * * *' });

/** Little memory, as in the images; and unlike there, what Node made of the sources is kept for the next start. */
const lean = {
  MALLOC_ARENA_MAX: '2',
  NODE_OPTIONS: '--max-semi-space-size=4 --expose-gc',
  NODE_COMPILE_CACHE: join(root, '.tools', 'compiled'),
};

/** What the caller set reaches every process, except what this table decides. */
function inheritedEnvironment({ env }: SystemSettings): NodeJS.ProcessEnv {
  const own = new Set(callersOwn.flatMap((name) => [name, `${name}_FILE`]));
  const rest = Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.has(name)));
  return { ...usual({ ...rest, ...env }), ...lean, ...rest, NODE_ENV: 'production', ...env };
}

/** A setting that is given twice, once as a file, would be refused. */
function withoutFiles(inherited: NodeJS.ProcessEnv, decided: readonly string[]): NodeJS.ProcessEnv {
  const files = new Set(decided.map((name) => `${name}_FILE`));
  return Object.fromEntries(Object.entries(inherited).filter(([name]) => !files.has(name)));
}

function identityProviderEnvironment(settings: SystemSettings, ports: Ports): NodeJS.ProcessEnv {
  return {
    PORT: String(ports['dev-idp'].port),
    ISSUER: addressOf(ports['dev-idp']),
    DATA_DIR: join(settings.dataDir, 'dev-idp'),
    GATEWAY_URL: gatewayUrl(settings),
    CLIENT_ID: signInClientId,
    CLIENT_SECRET: settings.secrets.signInClient,
    TOKEN_CLIENT_ID: tokenClientId,
    TOKEN_CLIENT_SECRET: settings.secrets.tokenClient,
  };
}

function simulatorEnvironment(settings: SystemSettings, ports: Ports): NodeJS.ProcessEnv {
  return {
    PORT: String(ports['provider-sim'].port),
    SMTP_PORT: String(ports.smtp.port),
    DATA_DIR: join(settings.dataDir, 'provider-sim'),
    PUBLIC_URL: gatewayUrl(settings),
    PEOPLE: JSON.stringify(settings.people ?? []),
  };
}

function serviceEnvironment(name: ServiceName, settings: SystemSettings, ports: Ports): NodeJS.ProcessEnv {
  return {
    PORT: String(ports[name].port),
    METRICS_PORT: '0',
    DATABASE_URL: settings.databaseUrls[schemaOf[name]],
    ...settings.tls,
    ...brokerEnvironment(settings),
    ...serviceAddresses(settings, ports),
    PUBLIC_URL: gatewayUrl(settings),
    INTERNAL_PUBLIC_KEYS: publicKeySet(settings.secrets),
    INTERNAL_PRIVATE_KEY: JSON.stringify(settings.secrets.keys[name].private),
  };
}

function gatewayEnvironment(settings: SystemSettings, ports: Ports): NodeJS.ProcessEnv {
  return {
    PORT: String(settings.gatewayPort.port),
    METRICS_PORT: '0',
    ...brokerEnvironment(settings),
    DATABASE_URL: settings.databaseUrls.gateway,
    ...settings.tls,
    ...serviceAddresses(settings, ports),
    OIDC_ISSUER: addressOf(ports['dev-idp']),
    OIDC_CLIENT_ID: signInClientId,
    OIDC_CLIENT_SECRET: settings.secrets.signInClient,
    SESSION_SECRET: settings.secrets.session,
    INTERNAL_PRIVATE_KEY: JSON.stringify(settings.secrets.keys.gateway.private),
    PUBLIC_URL: gatewayUrl(settings),
  };
}

function serviceAddresses(settings: SystemSettings, ports: Ports): NodeJS.ProcessEnv {
  const urls = serviceUrls(settings, ports);
  return {
    COMMS_SERVICE_URL: urls['comms-service'],
    RENEWALS_SERVICE_URL: urls['renewals-service'],
    WEBHOOK_INGEST_URL: urls['webhook-ingest'],
    NOTIFIER_URL: urls.notifier,
  };
}

function brokerEnvironment({ amqpUrl, busNamespace }: SystemSettings): NodeJS.ProcessEnv {
  return { ...(amqpUrl && { AMQP_URL: amqpUrl }), ...(busNamespace && { BUS_NAMESPACE: busNamespace }) };
}
