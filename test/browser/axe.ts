import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import type { Desk } from './desk.ts';
import type { Scene } from './scenes.ts';

/** In the page. */
declare const axe: { run(options: RunOptions): Promise<AxeResults> };
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

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Once for every page that is loaded. */
export const bringAxe = (where: Page) => where.evaluate(axeSource);

/** What axe says of the page as it stands: every rule, or only these. */
export async function violations(where: Page, rules?: string[]): Promise<string[]> {
  const options: RunOptions = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  const { violations: found } = await where.evaluate((how) => {
    for (const one of document.getAnimations()) one.cancel();
    return axe.run(how);
  }, options);
  return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`));
}

const stripPx = 80;

/** What scrolls sideways, but for strips of tabs and the like. */
export const tooWide = (where: Page) =>
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

/** The elements are the same in dark; of what axe reads, only their colours change, and only these rules read those. */
const ofColours = ['color-contrast', 'link-in-text-block'];

export const light: Look = { colorScheme: 'light', size: { width: 1280, height: 800 } };
export const dark: Look = { ...light, colorScheme: 'dark', rules: ofColours };
export const phone: Look = { ...light, size: { width: 360, height: 740 } };

export async function look(page: Page, { colorScheme, size, rules }: Look): Promise<string[]> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.setViewportSize(size);
  return violations(page, rules);
}

/** Goes to the scene and does what it takes to have all of it there. */
export async function reachWithAxe(page: Page, { system }: Desk, { path, reach }: Scene): Promise<void> {
  await page.setViewportSize(light.size);
  await page.goto(system.gatewayUrl + path);
  await reach(page);
  // Away from what was clicked: a hint that hangs over the page is no part of it.
  await page.mouse.move(0, 0);
  await bringAxe(page);
}
