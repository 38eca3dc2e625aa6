import { settingOf } from '@ops/service-kit/config';
import { examine } from '@ops/service-kit/doctor/examine';
import { type Examined, failed, type Line, ok, warning } from '@ops/service-kit/doctor/finding';
import { internalKeysCheck } from '@ops/service-kit/doctor/keys';
import { type Deployed, deployed } from '../deployed.ts';

type Settings = Readonly<Record<string, NodeJS.ProcessEnv>>;

/** What no process can see alone: whether they were told the same. */
export async function togetherExamined(settings: Settings): Promise<Examined> {
  const value = (process: Deployed, name: string) => settingOf(name, settings[process] ?? {}, []);
  const checks = [
    ...brokerLines(value),
    ...shared.map(({ name, among }) => sameLine(name, among, value)),
    ...webhooks.map(({ channel, address, secrets }) => webhookLine(channel, address, secrets, value)),
  ].filter((line) => line !== undefined);
  return { process: 'together', checks: [...(await gatewayKeyLines(value)), ...checks] };
}

/** The gateway alone is not told whose keys are believed. */
async function gatewayKeyLines(value: Value): Promise<Line[]> {
  const keys = {
    INTERNAL_PRIVATE_KEY: value('gateway', 'INTERNAL_PRIVATE_KEY'),
    INTERNAL_PUBLIC_KEYS: value('comms-service', 'INTERNAL_PUBLIC_KEYS'),
  };
  // Which are missing their processes have told.
  if (Object.values(keys).includes(undefined)) return [];
  const lines = await examine([internalKeysCheck('gateway', keys)], 1_000);
  return lines.map((line) => ({ ...line, name: 'internal key of gateway' }));
}

type Value = (process: Deployed, name: string) => string | undefined;

const services = deployed.filter((name) => name !== 'gateway');

/** Given to some alone or to each another, messages, dates or calls would go astray. */
const shared: { name: string; among: readonly Deployed[] }[] = [
  { name: 'BUS_NAMESPACE', among: deployed },
  { name: 'INTERNAL_PUBLIC_KEYS', among: services },
  { name: 'OPS_TIME_ZONE', among: ['comms-service', 'renewals-service', 'notifier'] },
  { name: 'MESSAGING_APP_ACCESS_TOKEN', among: ['comms-service', 'notifier'] },
  { name: 'SMS_AUTH_TOKEN', among: ['comms-service', 'webhook-ingest', 'notifier'] },
];

function sameLine(name: string, among: readonly Deployed[], value: Value, same = `the same ${name}`): Line {
  const given = new Map(among.map((process) => [process, value(process, name)]));
  if (new Set(given.values()).size <= 1)
    return ok(name, `the same for ${among.length === deployed.length ? 'all' : among.join(', ')}`);
  const without = [...given].filter(([, one]) => one === undefined).map(([process]) => process);
  const said = without.length > 0 ? `not given to ${without.join(', ')}` : `differs between ${among.join(', ')}`;
  return failed(name, said, `give ${among.join(', ')} ${same}`);
}

/** One broker for all, each by an account of its own. */
function brokerLines(value: Value): Line[] {
  const where = sameLine('AMQP_URL', deployed, (process, name) => brokerOf(value(process, name)), 'the same broker');
  const accounts = deployed.flatMap((process) => accountOf(process, value(process, 'AMQP_URL')));
  return accounts.length < deployed.length ? [where] : [where, accountsLine(accounts)];
}

interface Account {
  process: Deployed;
  user: string;
}

function accountsLine(accounts: readonly Account[]): Line {
  const holders = Object.values(Object.groupBy(accounts, ({ user }) => user)).filter((held) => held !== undefined);
  const shared = holders.filter((held) => held.length > 1).map((held) => held.map(({ process }) => process));
  if (shared.length === 0) return ok('broker accounts', 'each process has its own');
  const said = shared.map((held) => (held.length === deployed.length ? 'all processes' : held.join(', ')));
  const fix = 'by it each may tell what only another should: docs/compose.md, "Secrets", has an account for each';
  return warning('broker accounts', `${said.join('; ')} share one`, fix);
}

/** An address that is none its process has told of. */
const accountOf = (process: Deployed, url: string | undefined): Account[] =>
  url !== undefined && URL.canParse(url) ? [{ process, user: new URL(url).username }] : [];

function brokerOf(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return url;
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

/** Who sends hears of receipts and answers by webhooks alone. */
const webhooks = [
  { channel: 'messaging app', address: 'MESSAGING_APP_BASE_URL', secrets: ['MESSAGING_APP_APP_SECRET'] },
  { channel: 'SMS', address: 'SMS_BASE_URL', secrets: ['SMS_AUTH_TOKEN'] },
  {
    channel: 'e-mail',
    address: 'SMTP_URL',
    secrets: [
      'EMAIL_POSTMARK_BASIC_AUTH',
      'EMAIL_MAILGUN_SIGNING_KEY',
      'EMAIL_SENDGRID_BASIC_AUTH',
      'EMAIL_MIME_BASIC_AUTH',
    ],
  },
];

function webhookLine(channel: string, address: string, secrets: readonly string[], value: Value): Line | undefined {
  if (!value('notifier', address)) return undefined;
  const name = `${channel} both ways`;
  if (secrets.some((secret) => value('webhook-ingest', secret)))
    return ok(name, 'what notifier sends to may also write to webhook-ingest');
  const fix = `set ${secrets.join(' or ')} of webhook-ingest`;
  // Who only writes e-mail has answers in a mailbox; the others cannot even be told of receipts.
  return (channel === 'e-mail' ? warning : failed)(
    name,
    `${address} is set, and webhook-ingest would refuse what comes back`,
    fix,
  );
}
