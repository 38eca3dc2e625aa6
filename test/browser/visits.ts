import type { System } from '@ops/test-kit/system';
import type { Browser, Page } from 'playwright-core';
import { signIn } from './sign-in.ts';

export interface Visits {
  /** The page as this person sees it. */
  open(path: string, person?: string): Promise<Page>;
  /** Every script error, every refused part of a page and every request to somebody else, of all that were opened. */
  failures(): string[];
  /** Those of a time in which there had to be some. */
  forgive(): void;
}

export function visitsTo({ gatewayUrl }: System, browser: Browser): Visits {
  const failures: string[] = [];
  return {
    async open(path, person = 'demo-staff') {
      const page = await signIn(browser, gatewayUrl, person);
      page.on('pageerror', (error) => failures.push(error.message));
      page.on('console', (said) => said.type() === 'error' && failures.push(said.text()));
      page.on('request', (asked) => {
        const isElsewhere = !/^(blob|data):/.test(asked.url()) && new URL(asked.url()).origin !== gatewayUrl;
        if (isElsewhere && !asked.isNavigationRequest()) failures.push(asked.url());
      });
      await page.goto(gatewayUrl + path);
      return page;
    },
    failures: () => failures.filter((one) => !one.includes('401')),
    forgive: () => {
      failures.length = 0;
    },
  };
}
