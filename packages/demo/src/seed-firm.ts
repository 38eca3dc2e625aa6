import { caller } from './caller.ts';
import { demoLetter, demoPhoto } from './demo-files.ts';
import { type DemoLetter, type FirmCustomer, firmCustomers, strangers } from './demo-firm.ts';
import { allSeeded, callAs, markSeeded, type Seeding, seedRenewals } from './seed.ts';

export interface FirmSeeding extends Seeding {
  /** Where customers' phones and mailboxes are; without it nobody writes. */
  simulatorUrl: string | undefined;
}

const tellEvery = 10;

/**
 * Puts in the rest of the firm, from the step it had come to, while people are already looking at what is there. Stopped, it leaves
 * its mark, and the next start goes on. The highest number comes first, so that nobody who is made meanwhile gets one of theirs.
 */
export async function seedFirm(seeding: FirmSeeding, from: number): Promise<void> {
  const call = await callAs(seeding, 'staff');
  const say = seeding.simulatorUrl === undefined ? undefined : outside(seeding);
  const all = firmCustomers.toReversed();
  const steps = [
    ...all.map((one) => () => seedCustomer(call, say, one)),
    // After what it answers.
    ...all.map((one) => () => answer(call, one)),
    ...strangers.map(({ name, phone, text }) => async () => {
      await say?.({ name, phone }, { channel: 'MESSAGING_APP', hours_ago: 3, text });
    }),
  ];
  for (const [n, step] of steps.entries()) {
    if (n < from) continue;
    if (seeding.stopping?.aborted) return;
    await step();
    await markSeeded(seeding, n + 1);
    if ((n + 1) % tellEvery === 0)
      console.log(`- demo: ${n + 1} of ${steps.length} steps, more customers and their answers`);
  }
  await call('POST', '/ops/renewals/refresh');
  await allSeeded(seeding);
  console.log(`- demo: all customers are there, at ${seeding.gatewayUrl}`);
}

type Call = Awaited<ReturnType<typeof callAs>>;
type Say = ReturnType<typeof outside>;

/** Whoever has words in the log already was put in before. */
async function seedCustomer(call: Call, say: Say | undefined, one: FirmCustomer): Promise<void> {
  const { id, customer, renewals, letters } = one;
  await call('PUT', `/ops/customers/${id}`, customer);
  await seedRenewals(call, id, renewals);
  const { data: log } = (await call('GET', `/ops/customers/${id}/communications?limit=1`)) as { data: unknown[] };
  if (log.length > 0) return;
  const person = { name: customer.name, phone: customer.phones?.[0], email: customer.emails?.[0] };
  for (const letter of letters) await say?.(person, letter);
}

async function answer(call: Call, { id, communications, tasks }: FirmCustomer): Promise<void> {
  const once = (what: string) => ({ 'idempotency-key': `demo-${id}-${what}` });
  for (const [n, communication] of communications.entries())
    await call('POST', `/ops/customers/${id}/communications`, communication, once(String(n)));
  for (const [n, task] of tasks.entries())
    await call('POST', '/ops/tasks', { customer_id: id, ...task }, once(`task-${n}`));
}

/** Writes as somebody outside: what was written hours ago has that time. */
function outside({ simulatorUrl, stopping }: FirmSeeding) {
  const call = caller(`${simulatorUrl}/sim`, {}, stopping);
  const photo = { name: 'passport.png', mediaType: 'image/png', make: demoPhoto };
  const files = { photo, letter: { name: 'letter.pdf', mediaType: 'application/pdf', make: demoLetter } };
  return async (person: object, { hours_ago, file, ...letter }: DemoLetter): Promise<void> => {
    const { id } = await call('POST', '/people', person);
    const at = new Date(Date.now() - hours_ago * 3_600_000).toISOString();
    const stored = file && (await put(files[file]));
    await call('POST', `/people/${id}/messages`, { ...letter, at, ...(stored && { files: [stored] }) });
  };

  function put({ name, mediaType, make }: typeof photo): Promise<object> {
    return call('POST', `/files?name=${name}`, make(), { 'content-type': mediaType, 'x-simulator': 'demo' });
  }
}
