import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { bringAxe, dark, light, look, phone, reachWithAxe, tooWide } from './axe.ts';
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
  desk = await startDesk();
  await makeDemoDay(desk.system);
  page = await desk.open('/', 'demo-admin');
}, 180_000);
afterAll(() => desk?.stop());

test.each(scenes)('everybody can use $name: in dark, and on a phone', async (scene) => {
  await reachWithAxe(page, desk, scene);
  const found = { dark: await look(page, dark), phone: await look(page, phone), tooWide: await tooWide(page) };
  expect(found).toEqual({ dark: [], phone: [], tooWide: [] });
});

const looks = async () => ({
  light: await look(page, light),
  dark: await look(page, dark),
  phone: await look(page, phone),
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
