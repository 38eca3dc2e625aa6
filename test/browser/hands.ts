import type { Locator, Page } from 'playwright-core';

/** Somebody at the keys of a page: nothing else moves it. */
export interface Hands {
  /** Of what follows, until the next is named. */
  step(name: string): void;
  press(...keys: string[]): Promise<void>;
  type(text: string): Promise<void>;
  /** By Tab, as often as it takes. */
  tabTo(what: Locator): Promise<void>;
  /** How much each step took, and all of them: a key is one action, a text that is typed is one. */
  told(): string;
}

/** More than anybody would press. */
const mostTabs = 40;

export function handsOn(page: Page): Hands {
  const actions = new Map<string, number>();
  let current = '';
  const act = async (doIt: () => Promise<void>) => {
    actions.set(current, (actions.get(current) ?? 0) + 1);
    await doIt();
  };
  const press = async (...keys: string[]) => {
    for (const key of keys) await act(() => page.keyboard.press(key));
  };
  return {
    step: (name) => {
      current = name;
    },
    press,
    type: (text) => act(() => page.keyboard.type(text)),
    tabTo: async (what) => {
      await what.waitFor();
      const focused = what.and(page.locator(':focus'));
      for (let tabs = 0; (await focused.count()) === 0; tabs++) {
        if (tabs === mostTabs) throw new Error(`${mostTabs} Tabs do not lead there`);
        await press('Tab');
      }
    },
    told: () => {
      const all = [...actions].map(([name, count]) => `${count} ${name}`);
      const sum = [...actions.values()].reduce((before, count) => before + count, 0);
      return `${sum} actions: ${all.join(', ')}`;
    },
  };
}

/** What is sent meanwhile arrives only after it. */
export async function whileItIsSaved(page: Page, act: () => Promise<void>): Promise<void> {
  const done = Promise.withResolvers<void>();
  const isOps = ({ pathname }: URL) => pathname.startsWith('/ops/');
  await page.route(isOps, async (asked) => {
    if (asked.request().method() !== 'GET') await done.promise;
    await asked.continue();
  });
  await act();
  done.resolve();
  await page.unrouteAll({ behavior: 'wait' });
}
