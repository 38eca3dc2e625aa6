import { parseArgs } from 'node:util';
import { startRun } from '@ops/test-system/global-setup';
import tearDown from '@ops/test-system/global-teardown';
import type { CDPSession, Page } from 'playwright-core';
import { type Desk, startDesk } from '../browser/desk.ts';
import { fillLogs } from './many-communications.ts';
import { fill } from './many-renewals.ts';
import { median } from './rounds.ts';
import { unlimited } from './unlimited.ts';

/**
 * How long the two longest pages take to open, beside the same pages with hardly anything on them, and how smoothly they
 * scroll, by the browser's own tracing. In milliseconds, from the navigation until the rows can be seen.
 * `node test/bench/pages.ts [--communications 10000] [--renewals 1000000] [--times 7]`
 */
/** In the page. */
declare const document: {
  querySelector(selector: string): { getClientRects(): { length: number } } | null;
  querySelectorAll(selector: string): { length: number };
};
declare function requestAnimationFrame(then: () => void): void;

const { values } = parseArgs({
  options: {
    communications: { type: 'string', default: '10000' },
    renewals: { type: 'string', default: '1000000' },
    times: { type: 'string', default: '7' },
  },
});
const times = Number(values.times);
const long = 'C-long';
const short = 'C-short';

async function opening(page: Page, url: string, row: string): Promise<number> {
  const all: number[] = [];
  for (let n = 0; n < times; n++) {
    await page.goto('about:blank');
    await page.goto(url, { waitUntil: 'commit' });
    const seen = await page.waitForFunction(
      (selector) => (document.querySelector(selector)?.getClientRects().length ?? 0) > 0 && performance.now(),
      row,
    );
    all.push((await seen.jsonValue()) as number);
  }
  return median(all);
}

interface TraceEvent {
  name: string;
  ph: string;
  dur?: number;
  tdur?: number;
  tid: number;
  args: { name?: string };
}

/** How long a task took, and how much of that the processor worked on it; the rest it waited for others. */
interface Task {
  whole: number;
  cpu: number;
}

/** What kept the page's main thread busy meanwhile. */
async function tasksOf(page: Page, work: () => Promise<unknown>): Promise<Task[]> {
  const session: CDPSession = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => void events.push(...(value as unknown as TraceEvent[])));
  const complete = new Promise<void>((resolve) => session.once('Tracing.tracingComplete', () => resolve()));
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['disabled-by-default-devtools.timeline', '__metadata'] },
  });
  await work();
  await session.send('Tracing.end');
  await complete;
  const main = events.filter((one) => one.name === 'thread_name' && one.args.name === 'CrRendererMain');
  const threads = new Set(main.map(({ tid }) => tid));
  return events
    .filter(({ name, ph, tid }) => name === 'RunTask' && ph === 'X' && threads.has(tid))
    .map(({ dur = 0, tdur = dur }) => ({ whole: dur / 1000, cpu: tdur / 1000 }));
}

const told = (tasks: readonly Task[]) =>
  `${inWords(tasks.map(({ whole }) => whole))}; by processor time ${inWords(tasks.map(({ cpu }) => cpu))}`;

const inWords = (lengths: readonly number[]) =>
  `the longest task ${Math.max(0, ...lengths).toFixed(0)} ms and ${lengths.filter((one) => one > 100).length} over 100 ms`;

/** Further back nobody scrolls: they search. */
const mostScrolled = 5_000;

/** Towards the oldest record, a screen at a time, as fast as somebody's finger. */
async function scrollBack(page: Page): Promise<number> {
  const thread = page.locator('[role=log]');
  await thread.hover();
  // Finding it by its role would ask every record, and be counted as the page's own work.
  const records = page.locator('[data-record]');
  const older = page.locator('[role="log"] button:not(article *)');
  while ((await older.count()) > 0 && (await records.count()) < mostScrolled) {
    await page.mouse.wheel(0, -4_000);
    await page.evaluate(() => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  }
  return records.count();
}

async function scrollDown(page: Page): Promise<number> {
  const rows = page.locator('tbody tr');
  const more = await page.locator('button', { hasText: 'Show more' }).elementHandle();
  for (let n = 0; n < 20; n++) {
    const before = await rows.count();
    await more?.click();
    await page.waitForFunction((count) => document.querySelectorAll('tbody tr').length > count, before);
    await page.mouse.wheel(0, 4_000);
  }
  return rows.count();
}

async function bench(desk: Desk): Promise<void> {
  const { gatewayUrl } = desk.system;
  const staff = await desk.system.client('staff');
  for (const id of [long, short]) await staff.put(`/ops/customers/${id}`, { name: `Demo ${id}`, phones: [] });
  await fillLogs(desk.system.database('comms'), [
    { customer: long, records: Number(values.communications) },
    { customer: short, records: 5 },
  ]);
  const page = await desk.open('/customers');
  const workspace = (id: string) => opening(page, `${gatewayUrl}/customers/${id}`, '[data-record]');
  const queue = () => opening(page, `${gatewayUrl}/renewals`, '[data-renewal]');
  await staff.post(`/ops/customers/${short}/renewals`, { service_type: 'WORK_PERMIT', due_date: '2020-01-31' });
  await queue();
  const beside = [await workspace(short), await queue()] as const;
  const total = Number(values.renewals);
  const today = new Date().toISOString().slice(0, 10);
  await unlimited(desk.system.database('renewals'), async (query) => {
    await query(fill(total, Math.min(12_000, total / 10), today));
    await query(`UPDATE refreshed SET as_of = DATE '${today}'`);
    await query('VACUUM ANALYZE renewals');
  });
  const openings = [await workspace(long), await queue()] as const;
  const words = (n: 0 | 1) => `opens in ${openings[n].toFixed(0)} ms, beside ${beside[n].toFixed(0)} ms almost empty`;
  console.log(`a workspace with ${values.communications} communications ${words(0)}`);
  console.log(`the queue of ${total} renewals ${words(1)}`);
  let shown = 0;
  await page.goto(`${gatewayUrl}/customers/${long}`);
  await page.locator('[data-record]').first().waitFor();
  const back = await tasksOf(page, async () => {
    shown = await scrollBack(page);
  });
  console.log(`scrolling back through ${shown} communications: ${told(back)}`);
  await page.goto(`${gatewayUrl}/renewals`);
  await page.locator('[data-renewal]').first().waitFor();
  const down = await tasksOf(page, async () => {
    shown = await scrollDown(page);
  });
  console.log(`scrolling down ${shown} renewals: ${told(down)}`);
}

let desk: Desk | undefined;
try {
  await startRun('benchmark');
  desk = await startDesk({ REFRESH_CRON: '' });
  await bench(desk);
} finally {
  await desk?.stop();
  await tearDown();
}
