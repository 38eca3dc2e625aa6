import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startRun } from '@ops/test-system/global-setup';
import tearDown from '@ops/test-system/global-teardown';
import type { Page } from 'playwright-core';
import { makeDemoDay } from './demo-day.ts';
import { startDesk } from './desk.ts';
import { type Scene, scenes } from './scenes.ts';

/**
 * Every page as people see it, on the demo data: in light, in dark, and on a phone.
 * `npm run dev -- node test/browser/screenshots.ts --to DIRECTORY [--only NAME]...`
 */
const { values } = parseArgs({
  options: { to: { type: 'string' }, only: { type: 'string', multiple: true } },
});
const { to: directory } = values;
if (directory === undefined) throw new Error('--to is the directory to put them in');

const wide = { width: 1280, height: 800 };
const looks = [
  { name: 'light', colorScheme: 'light', size: wide },
  { name: 'dark', colorScheme: 'dark', size: wide },
  { name: 'phone', colorScheme: 'light', size: { width: 360, height: 740 } },
] as const;

async function take(page: Page, url: string, { name, path, reach }: Scene): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.setViewportSize(wide);
  await page.goto(url + path);
  await reach(page);
  await page.mouse.move(0, 0);
  for (const look of looks) {
    await page.emulateMedia({ colorScheme: look.colorScheme });
    await page.setViewportSize(look.size);
    await page.screenshot({ path: join(directory as string, `${name}-${look.name}.png`), animations: 'disabled' });
  }
}

async function run(): Promise<void> {
  await mkdir(directory as string, { recursive: true });
  const desk = await startDesk();
  try {
    await makeDemoDay(desk.system);
    const page = await desk.open('/', 'demo-admin');
    page.setDefaultTimeout(15_000);
    for (const scene of scenes)
      if (values.only?.includes(scene.name) ?? true)
        await take(page, desk.system.gatewayUrl, scene).catch((error) => {
          console.error(`${scene.name}: ${error.message}`);
          process.exitCode = 1;
        });
  } finally {
    await desk.stop();
  }
}

try {
  await startRun('run');
  await run();
} finally {
  await tearDown();
}
