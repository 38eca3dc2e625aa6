import type { System } from '@ops/test-system/system';
import type { Page } from 'playwright-core';

/** Waits until a page shows what a customer wrote. Where it never does, the error says how far it came, and not what it says. */
export async function arrives(system: System, page: Page, text: string): Promise<void> {
  try {
    await page.getByText(text).waitFor();
  } catch {
    const told = JSON.stringify({ ...(await howFar(system, text)), page: await stateOf(page) }, null, 2);
    throw new Error(`What a customer wrote is not shown. How far it came: ${told}`);
  }
}

/** By the traces it left in each process, from the first on. */
async function howFar({ simulator, database, eventsWaiting }: System, text: string) {
  const [comms, ingest] = [database('comms'), database('ingest')];
  const deliveries = await ingest('deliveries')
    .whereRaw("position(convert_to(?, 'UTF8') in body) > 0", [text])
    .select('outcome', 'reason', 'received_at', 'processed_at');
  const records = await comms('communications').where('body', text).select('id', 'customer_id', 'created_at');
  const published = async (of: typeof comms, words: string) =>
    of('outbox').whereRaw('strpos(event::text, ?) > 0', [words]).select('type', 'published_at');
  return {
    webhooksWaiting: await simulator.webhooksWaiting(),
    deliveries,
    told: await published(ingest, text),
    records,
    toldOfThem: await Promise.all(records.map(({ id }) => published(comms, id))),
    eventsWaiting: await eventsWaiting(),
  };
}

interface Asked {
  name: string;
  startTime: number;
  responseEnd: number;
}

/** In the page. */
declare const performance: { timeOrigin: number; getEntriesByType(type: 'resource'): Asked[] };

const lastAsked = 30;

/** What its sign says of the live stream, and what it asked for last, from when to when. */
async function stateOf(page: Page) {
  const asked = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter(({ name }) => name.includes('/ops/'))
      .map(({ name, startTime, responseEnd }) => {
        const [begun, ended] = [startTime, responseEnd].map((at) =>
          new Date(performance.timeOrigin + at).toISOString(),
        );
        return `${begun} to ${ended}: ${new URL(name).pathname}`;
      }),
  );
  return {
    address: page.url(),
    signs: await page.getByRole('navigation', { name: 'Pages' }).getByRole('status').allTextContents(),
    asked: asked.slice(-lastAsked),
  };
}
