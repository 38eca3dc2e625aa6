import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { makeDemoDay } from './demo-day.ts';
import { type Desk, startDesk } from './desk.ts';
import { scenes } from './scenes.ts';

/** In the page. */
declare const axe: { run(): Promise<AxeResults> };
declare const document: {
  getAnimations(): { cancel(): void }[];
  querySelectorAll(what: string): Iterable<Box>;
};
declare function getComputedStyle(element: Box): Record<string, string>;
interface Box {
  nodeName: string;
  className: string;
  scrollWidth: number;
  clientWidth: number;
  clientHeight: number;
}

let desk: Desk;
let page: Page;
let axeSource: string;

beforeAll(async () => {
  axeSource = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  desk = await startDesk();
  await makeDemoDay(desk.system);
  page = await desk.open('/', 'demo-admin');
}, 180_000);
afterAll(() => desk?.stop());

/** What every rule of axe says of the page as it stands. */
async function violations(where: Page): Promise<string[]> {
  await where.evaluate(axeSource);
  const { violations: found } = await where.evaluate(() => {
    for (const one of document.getAnimations()) one.cancel();
    return axe.run();
  });
  return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`));
}

const stripPx = 80;

/** What scrolls sideways, but for strips of tabs and the like. */
const tooWide = (where: Page) =>
  where.evaluate(
    (most) =>
      [...document.querySelectorAll('html, #content, #content *')]
        .filter((one) => one.nodeName === 'HTML' || /auto|scroll/.test(getComputedStyle(one).overflowX ?? ''))
        .filter(({ clientHeight, scrollWidth, clientWidth }) => clientHeight > most && scrollWidth > clientWidth + 1)
        .map(({ nodeName, className, scrollWidth }) => `${nodeName} ${className}: ${scrollWidth}`),
    stripPx,
  );

const light = { colorScheme: 'light', size: { width: 1280, height: 800 } } as const;
const dark = { ...light, colorScheme: 'dark' } as const;
const phone = { ...light, size: { width: 360, height: 740 } } as const;

async function look({ colorScheme, size }: typeof light | typeof dark | typeof phone): Promise<string[]> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.setViewportSize(size);
  return violations(page);
}

test.each(scenes)('everybody can use $name: in light, in dark, and on a phone', async ({ path, reach }) => {
  await page.setViewportSize(light.size);
  await page.goto(desk.system.gatewayUrl + path);
  await reach(page);
  // Away from what was clicked: a hint that hangs over the page is no part of it.
  await page.mouse.move(0, 0);
  const found = { light: await look(light), dark: await look(dark), phone: await look(phone) };
  expect({ ...found, tooWide: await tooWide(page) }).toEqual({ light: [], dark: [], phone: [], tooWide: [] });
});

test('the way in is there for everybody', async () => {
  const stranger = await desk.arrive();
  await stranger.getByRole('link', { name: 'Sign in', exact: true }).waitFor();
  expect(await violations(stranger)).toEqual([]);
  const automation = await desk.signIn('demo-automation');
  await automation.getByText('This is for staff').waitFor();
  expect(await violations(automation)).toEqual([]);
});

test('no page ran into an error, was refused a part of it, or asked anybody else', () => {
  expect(desk.failures()).toEqual([]);
});
