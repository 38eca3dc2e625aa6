import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { bringAxe, light, look, reachWithAxe, violations } from './axe.ts';
import { makeDemoDay } from './demo-day.ts';
import { type Desk, startDesk } from './desk.ts';
import { scenes } from './scenes.ts';

let desk: Desk;
let page: Page;

beforeAll(async () => {
  desk = await startDesk();
  await makeDemoDay(desk.system);
  page = await desk.open('/', 'demo-admin');
}, 180_000);
afterAll(() => desk?.stop());

test.each(scenes)('everybody can use $name', async (scene) => {
  await reachWithAxe(page, desk, scene);
  expect(await look(page, light)).toEqual([]);
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
