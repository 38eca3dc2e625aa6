import { buildPages } from '@ops/ops-ui/build';
import { startChromium } from '@ops/test-kit/chromium';
import { eventually } from '@ops/test-kit/eventually';
import { type System, sharedSystem, startSystem } from '@ops/test-system/system';
import type { BrowserContext, Page } from 'playwright-core';

/** How long a page takes says nothing on a machine that other suites keep busy: only what never comes is a failure. */
const patienceMs = 180_000;

/** The whole system, and people at its pages. */
export interface Desk {
  system: System;
  /** Somebody whom nobody knows yet comes to the first page. */
  arrive(): Promise<Page>;
  /** Somebody signs in as people do it, at a browser of their own. */
  signIn(person: string): Promise<Page>;
  /**
   * Somebody who signed in earlier goes there; what they see changes by itself from then on. Each person keeps a browser, in
   * which nothing is left of what was typed before once all its pages are closed.
   */
  open(path: string, person?: string): Promise<Page>;
  /** The same at a browser nobody else gets: for who signs out, goes offline or lets time pass. */
  openApart(path: string, person?: string): Promise<Page>;
  /** Script errors, refused parts of pages, and questions to anybody else; answers to people's mistakes are none. */
  failures(): string[];
  /** Those of a time in which there had to be some. */
  forgive(): void;
  stop(): Promise<void>;
}

type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>;

/** What the pages answer for, and a network of the machine that came or went meanwhile. */
const noFault = /status of (401|404|409|412|422)|ERR_NETWORK_CHANGED/;

/** What is in its memory, and its own pages: it shows a PDF with one. */
const ofTheBrowser = /^(blob|data|chrome|chrome-extension):/;

/** What is told in a corner goes by itself, on a busy machine before its time; not while somebody is at it. */
export const stays = (page: Page, told: string | RegExp) => page.getByText(told).hover();

/** At a system of the suite's own. `env`: settings for every process, on top of the usual ones. */
export const startDesk = (env: Record<string, string> = {}): Promise<Desk> =>
  openDesk(startSystem({ bus: 'postgres', env }));

/** At the system that the run's suites share. */
export const shareDesk = (): Promise<Desk> => openDesk(sharedSystem('postgres'));

async function openDesk(starting: Promise<System>): Promise<Desk> {
  const [system, browser] = await Promise.all([starting, startChromium(), buildPages()]);
  const { gatewayUrl } = system;
  const failures: string[] = [];
  const newBrowser = async () => {
    const context = await browser.newContext({ locale: 'en-GB', colorScheme: 'light', acceptDownloads: true });
    context.setDefaultTimeout(patienceMs);
    return context;
  };
  const newPage = async (context: BrowserContext) => {
    const page = await context.newPage();
    page.on('pageerror', (error) => failures.push(error.message));
    page.on('console', (said) => said.type() === 'error' && failures.push(said.text()));
    page.on('request', (asked) => {
      const isElsewhere = !ofTheBrowser.test(asked.url()) && new URL(asked.url()).origin !== gatewayUrl;
      if (isElsewhere && !asked.isNavigationRequest()) failures.push(asked.url());
    });
    return page;
  };
  const arrive = async () => {
    const page = await newPage(await newBrowser());
    await page.goto(gatewayUrl);
    return page;
  };
  // On a busy machine the identity provider may answer too late: the gateway says so, and to start again.
  const signIn = (person: string) =>
    eventually(async () => {
      const page = await arrive();
      await page.getByRole('link', { name: 'Sign in', exact: true }).click();
      await page.locator(`[value="${person}"]`).click();
      await page.waitForURL((url) => url.origin === gatewayUrl);
      const isSignedIn = (await page.context().cookies()).some(({ name }) => name.endsWith('ops_session'));
      if (isSignedIn) return page;
      const told = await page.locator('body').textContent();
      await page.context().close();
      throw new Error(`${person} is not signed in, but told: ${told}`);
    });
  const signedIn = new Map<string, Promise<{ context: BrowserContext; cookies: Cookies }>>();
  const browserOf = (person: string) => {
    const found = signedIn.get(person) ?? signInToStay(person);
    signedIn.set(person, found);
    return found;
  };
  const signInToStay = async (person: string) => {
    const page = await signIn(person);
    const context = page.context();
    const cookies = await context.cookies();
    // Stays, so that the process behind it does, with all it compiled: that is most of loading a page.
    await page.goto(`${gatewayUrl}/healthz`);
    return { context, cookies };
  };
  const goTo = async (page: Page, path: string) => {
    await page.goto(gatewayUrl + path);
    await page.getByText('Live', { exact: true }).waitFor().catch(tellWhatIsThere(page));
    return page;
  };
  return {
    system,
    arrive,
    signIn,
    open: async (path, person = 'demo-staff') => {
      const { context } = await browserOf(person);
      const isAlone = context.pages().length === 1;
      const page = await newPage(context);
      if (isAlone) await forget(page, gatewayUrl);
      return goTo(page, path);
    },
    openApart: async (path, person = 'demo-staff') => {
      const context = await newBrowser();
      await context.addCookies((await browserOf(person)).cookies);
      return goTo(await newPage(context), path);
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

const tellWhatIsThere = (page: Page) => async (error: Error) => {
  const online = await page.evaluate('navigator.onLine');
  throw new Error(`${error.message}\n${page.url()}, online: ${online}\n${await page.locator('body').textContent()}`);
};

/** What pages of the system keep in a browser; its cache of their parts stays, which saves most of loading them. */
async function forget(page: Page, origin: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'local_storage' });
  await session.detach();
}
