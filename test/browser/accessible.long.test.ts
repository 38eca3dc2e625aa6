import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { bringAxe, dark, light, look, phone, reachWithAxe, tooWide, violations } from './axe.ts';
import { makeDemoDay } from './demo-day.ts';
import { type Desk, startDesk } from './desk.ts';
import { scenes } from './scenes.ts';

/** In the page. */
declare const document: {
  querySelector(what: '#content'): { insertAdjacentHTML(where: 'beforeend', html: string): void };
  adoptedStyleSheets: CSSStyleSheet[];
};
declare class CSSStyleSheet {
  replaceSync(css: string): void;
}

let desk: Desk;
let page: Page;

beforeAll(async () => {
  // One person walks all pages within a minute.
  desk = await startDesk({ RATE_LIMIT_PER_MINUTE: '1000000' });
  await makeDemoDay(desk.system);
  page = await desk.open('/', 'demo-admin');
});
afterAll(() => desk?.stop());

const looks = async () => ({
  light: await look(page, light),
  dark: await look(page, dark),
  phone: await look(page, phone),
});

test.each(scenes)('everybody can use $name: in light, in dark, and on a phone', async (scene) => {
  await reachWithAxe(page, desk, scene);
  expect({ ...(await looks()), tooWide: await tooWide(page) }).toEqual({ light: [], dark: [], phone: [], tooWide: [] });
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

const faults = `
  #faint { color: #000; background: #fff }
  @media (prefers-color-scheme: dark) { #faint { color: #222; background: #000 } }
  @media (width > 360px) { #mute { display: none } }`;

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
  expect(await looks()).toEqual({
    light: [],
    dark: [expect.stringContaining('color-contrast: <p id="faint">')],
    phone: [expect.stringContaining('button-name: <button id="mute">')],
  });
});

test('no page ran into an error, was refused a part of it, or asked anybody else', () => {
  expect(desk.failures()).toEqual([]);
});
