import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { makeDemoDay } from './demo-day.ts';
import { type Desk, startDesk } from './desk.ts';
import { scenes } from './scenes.ts';

/** In the page. */
declare const axe: { run(options: RunOptions): Promise<AxeResults> };
declare const document: {
  getAnimations(): { cancel(): void }[];
  querySelectorAll(what: string): Iterable<Box>;
  querySelector(what: '#content'): { insertAdjacentHTML(where: 'beforeend', html: string): void };
  adoptedStyleSheets: CSSStyleSheet[];
};
declare class CSSStyleSheet {
  replaceSync(css: string): void;
}
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

/** The elements are the same in dark; of what axe reads, only their colours change, and only these rules read those. */
const ofColours = ['color-contrast', 'link-in-text-block'];

/** Once for every page that is loaded. */
const bringAxe = (where: Page) => where.evaluate(axeSource);

/** What axe says of the page as it stands: every rule, or only these. */
async function violations(where: Page, rules?: string[]): Promise<string[]> {
  const options: RunOptions = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  const { violations: found } = await where.evaluate((how) => {
    for (const one of document.getAnimations()) one.cancel();
    return axe.run(how);
  }, options);
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

interface Look {
  colorScheme: 'light' | 'dark';
  size: { width: number; height: number };
  rules?: string[];
}

const light: Look = { colorScheme: 'light', size: { width: 1280, height: 800 } };
const dark: Look = { ...light, colorScheme: 'dark', rules: ofColours };
const phone: Look = { ...light, size: { width: 360, height: 740 } };

const faults = `
  #faint { color: #000; background: #fff }
  @media (prefers-color-scheme: dark) { #faint { color: #222; background: #000 } }
  @media (width > 360px) { #mute { display: none } }`;

async function look({ colorScheme, size, rules }: Look): Promise<string[]> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.setViewportSize(size);
  return violations(page, rules);
}

test.each(scenes)('everybody can use $name: in light, in dark, and on a phone', async ({ path, reach }) => {
  await page.setViewportSize(light.size);
  await page.goto(desk.system.gatewayUrl + path);
  await reach(page);
  // Away from what was clicked: a hint that hangs over the page is no part of it.
  await page.mouse.move(0, 0);
  await bringAxe(page);
  const found = { light: await look(light), dark: await look(dark), phone: await look(phone) };
  expect({ ...found, tooWide: await tooWide(page) }).toEqual({ light: [], dark: [], phone: [], tooWide: [] });
});

test('a fault that shows only in dark or only on a phone is found', async () => {
  await page.setViewportSize(light.size);
  await page.goto(`${desk.system.gatewayUrl}/nowhere`);
  await page.getByText('There is no such page.').waitFor();
  await page.evaluate((css) => {
    const styles = new CSSStyleSheet();
    styles.replaceSync(css);
    document.adoptedStyleSheets.push(styles);
    document.querySelector('#content').insertAdjacentHTML('beforeend', '<p id="faint">Faint</p><button id="mute" />');
  }, faults);
  await bringAxe(page);
  expect({ light: await look(light), dark: await look(dark), phone: await look(phone) }).toEqual({
    light: [],
    dark: [expect.stringContaining('color-contrast: <p id="faint">')],
    phone: [expect.stringContaining('button-name: <button id="mute">')],
  });
});

test('the way in is there for everybody', async () => {
  const stranger = await desk.arrive();
  await stranger.getByRole('link', { name: 'Sign in', exact: true }).waitFor();
  await bringAxe(stranger);
  expect(await violations(stranger)).toEqual([]);
  const automation = await desk.signIn('demo-automation');
  await automation.getByText('This is for staff').waitFor();
  await bringAxe(automation);
  expect(await violations(automation)).toEqual([]);
});

test('no page ran into an error, was refused a part of it, or asked anybody else', () => {
  expect(desk.failures()).toEqual([]);
});
