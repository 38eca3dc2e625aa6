import { buildPages } from '@ops/ops-ui/build';
import { startChromium } from '@ops/test-kit/chromium';
import { type System, startSystem } from '@ops/test-kit/system';
import type { Page } from 'playwright-core';
import { signIn } from './sign-in.ts';

/** The whole system, and people at its pages. */
export interface Desk {
  system: System;
  /** Somebody signs in and goes there; what they see changes by itself from then on. */
  open(path: string, person?: string): Promise<Page>;
  /** Script errors, refused parts of pages, and questions to anybody else; answers to people's mistakes are none. */
  failures(): string[];
  stop(): Promise<void>;
}

const mistakes = /status of (401|404|412)/;

export async function startDesk(): Promise<Desk> {
  await buildPages();
  const [system, browser] = await Promise.all([startSystem({ bus: 'postgres' }), startChromium()]);
  const failures: string[] = [];
  return {
    system,
    open: async (path, person = 'demo-staff') => {
      const page = await signIn(browser, system.gatewayUrl, person);
      page.on('pageerror', (error) => failures.push(error.message));
      page.on('console', (said) => said.type() === 'error' && failures.push(said.text()));
      page.on('request', (asked) => {
        const isElsewhere = new URL(asked.url()).origin !== system.gatewayUrl;
        if (isElsewhere && !asked.isNavigationRequest()) failures.push(asked.url());
      });
      await page.goto(system.gatewayUrl + path);
      await page.getByText('Live', { exact: true }).waitFor();
      return page;
    },
    failures: () => failures.filter((one) => !mistakes.test(one)),
    stop: async () => {
      await browser.close();
      await system.stop();
    },
  };
}
