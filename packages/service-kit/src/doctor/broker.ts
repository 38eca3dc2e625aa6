import { TrialError, tryBroker } from './broker-trial.ts';
import { causeOf } from './cause.ts';
import { type Check, failed, type Line, ok } from './finding.ts';

interface BrokerSettings {
  AMQP_URL?: string | undefined;
  BUS_NAMESPACE: string;
}

const oldest = [3, 10];

/** Nothing to look at where Postgres plays the broker's part. */
export function brokerChecks({ AMQP_URL: url, BUS_NAMESPACE }: BrokerSettings, timeoutMs: number): Check[] {
  if (url === undefined) return [];
  const { host, username, pathname } = new URL(url);
  const vhost = decodeURIComponent(pathname.slice(1)) || '/';
  const where = `${host}, vhost ${vhost}, as ${decodeURIComponent(username) || 'guest'}`;
  const fix = 'is RabbitMQ up, and does AMQP_URL name its host, port and vhost? (docker compose logs rabbitmq)';
  return [{ name: 'broker', fix, run: async () => [await tried(url, BUS_NAMESPACE, where, timeoutMs)] }];
}

async function tried(url: string, namespace: string, where: string, timeoutMs: number): Promise<Line> {
  try {
    const { product, version } = await tryBroker(url, namespace, timeoutMs);
    if (isOlder(version))
      return failed('broker', `${product} ${version} at ${where}`, `RabbitMQ ${oldest.join('.')} or newer is needed`);
    return ok('broker', `${product} ${version} at ${where}; a quorum queue was declared, used and removed`);
  } catch (error) {
    const said = causeOf(error);
    const fix = fixOf(said, error);
    if (!fix) throw error;
    return failed('broker', `${where}: ${said}`, fix);
  }
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < Number(oldest[0]) || (major === oldest[0] && minor < Number(oldest[1]));
}

const makeAccounts = 'rabbitmqctl add_vhost VHOST; rabbitmqctl import_definitions, as docs/compose.md, "Secrets", says';

function fixOf(said: string, error: unknown): string | undefined {
  if (/login was refused|ACCESS[_-]REFUSED.*(login|authentication)/i.test(said))
    return 'user or password in AMQP_URL are not those the broker has: docs/compose.md, "Secrets"';
  if (/ACCESS[_-]REFUSED|not allowed|NOT_ALLOWED|vhost/i.test(said))
    return `make the vhost and the account of AMQP_URL, with its rights there: ${makeAccounts}`;
  if (/takes no messages/.test(said))
    return "free memory or disk of the broker's machine: rabbitmqctl status names the alarm";
  return error instanceof TrialError
    ? 'the broker must let its user declare quorum queues: RabbitMQ 3.10 or newer'
    : undefined;
}
