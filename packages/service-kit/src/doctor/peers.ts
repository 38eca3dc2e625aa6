import type { ServiceName } from '@ops/contracts/routes';
import { createIdentitySigner, identityHeader } from '../identity/identity.ts';
import { type Check, failed, type Line, ok } from './finding.ts';
import { ask, jsonOf } from './question.ts';

/** The settings that say where the services answer. */
const addressSettings = {
  'comms-service': 'COMMS_SERVICE_URL',
  'renewals-service': 'RENEWALS_SERVICE_URL',
  'webhook-ingest': 'WEBHOOK_INGEST_URL',
  notifier: 'NOTIFIER_URL',
} as const satisfies Record<ServiceName, string>;

const place = 'docs/compose.md, "Secrets"';

type Addresses = Partial<Record<(typeof addressSettings)[ServiceName], string>>;

/** Of each service whose address is given: it answers, is ready, and believes what this process signs. */
export const peerChecks = (
  self: string,
  config: Addresses & { INTERNAL_PRIVATE_KEY: string },
  timeoutMs: number,
): Check[] =>
  (Object.keys(addressSettings) as ServiceName[])
    .filter((peer) => peer !== self && config[addressSettings[peer]] !== undefined)
    .map((peer) => {
      const setting = addressSettings[peer];
      const url = String(config[setting]);
      const fix = `is ${peer} running, and does ${setting} say where it answers? Its log says why it ended`;
      return { name: peer, fix, run: async () => [await lineOf(peer, url, config.INTERNAL_PRIVATE_KEY, timeoutMs)] };
    });

async function lineOf(peer: ServiceName, url: string, privateKey: string, timeoutMs: number): Promise<Line> {
  const ready = await ask(new URL('/readyz', url).href, timeoutMs);
  if (ready.status !== 200)
    return failed(
      peer,
      `${url} is not ready: ${saidBy(ready.body) ?? ready.status}`,
      `npm run doctor of ${peer} says what it does not reach`,
    );
  const headers = { [identityHeader]: await createIdentitySigner(privateKey)({ sub: 'doctor', role: 'admin' }, peer) };
  // A cheap question that every service answers an admin, and refuses whoever is not the gateway: once it knows who that is.
  const asked = await ask(new URL(`/ops/services/${peer}/dead-letters?limit=1`, url).href, timeoutMs, { headers });
  if (asked.status === 200 || asked.status === 403)
    return ok(peer, `ready at ${url}, and believes what is signed here`);
  if (asked.status !== 401)
    return failed(
      peer,
      `${url} answered ${asked.status}`,
      `look into the log of ${peer}: a request that ought to be answered was not`,
    );
  const fix = `the key of this process must be in INTERNAL_PUBLIC_KEYS of ${peer}, and both clocks agree: ${place}`;
  return failed(peer, `${url} does not believe what is signed here`, fix);
}

/** What a problem document says. */
function saidBy(body: string): string | undefined {
  const { detail } = (jsonOf(body) ?? {}) as { detail?: unknown };
  return typeof detail === 'string' ? detail : undefined;
}
