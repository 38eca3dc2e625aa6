import { buildPages } from '@ops/ops-ui/build';
import { startChromium } from '@ops/test-kit/chromium';
import { type System, startSystem } from '@ops/test-kit/system';
import type { Page } from 'playwright-core';

/** The whole system, and people at its pages. */
export interface Desk {
  system: System;
  /** Somebody whom nobody knows yet comes to the first page. */
  arrive(): Promise<Page>;
  /** Somebody signs in as people do it, at a browser of their own. */
  signIn(person: string): Promise<Page>;
  /** Somebody signs in and goes there; what they see changes by itself from then on. */
  open(path: string, person?: string): Promise<Page>;
  /** Script errors, refused parts of pages, and questions to anybody else; answers to people's mistakes are none. */
  failures(): string[];
  /** Those of a time in which there had to be some. */
  forgive(): void;
  stop(): Promise<void>;
}

/** What the pages answer for, and a network of the machine that came or went meanwhile. */
const noFault = /status of (401|404|409|412|422)|ERR_NETWORK_CHANGED/;

/** `env`: settings for every process, on top of the usual ones. */
export async function startDesk(env: Record<string, string> = {}): Promise<Desk> {
  await buildPages();
  const [system, browser] = await Promise.all([startSystem({ bus: 'postgres', env }), startChromium()]);
  const { gatewayUrl } = system;
  const failures: string[] = [];
  const arrive = async () => {
    const context = await browser.newContext({ locale: 'en-GB', colorScheme: 'light', acceptDownloads: true });
    const page = await context.newPage();
    page.on('pageerror', (error) => failures.push(error.message));
    page.on('console', (said) => said.type() === 'error' && failures.push(said.text()));
    page.on('request', (asked) => {
      const isElsewhere = !/^(blob|data):/.test(asked.url()) && new URL(asked.url()).origin !== gatewayUrl;
      if (isElsewhere && !asked.isNavigationRequest()) failures.push(asked.url());
    });
    await page.goto(gatewayUrl);
    return page;
  };
  const signIn = async (person: string) => {
    const page = await arrive();
    await page.getByRole('link', { name: 'Sign in', exact: true }).click();
    await page.locator(`[value="${person}"]`).click();
    await page.waitForURL((url) => url.origin === gatewayUrl);
    return page;
  };
  return {
    system,
    arrive,
    signIn,
    open: async (path, person = 'demo-staff') => {
      const page = await signIn(person);
      await page.goto(gatewayUrl + path);
      await page.getByText('Live', { exact: true }).waitFor();
      return page;
    },
    failures: () => failures.filter((one) => !noFault.test(one)),
    forgive: () => {
      failures.length = 0;
    },
    stop: async () => {
      await browser.close();
      await system.stop();
    },
  };
}
