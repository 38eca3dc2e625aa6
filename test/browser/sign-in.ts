import type { Browser, Page } from 'playwright-core';

/** A person at a browser of their own, signed in as people do it. */
export async function signIn(browser: Browser, gatewayUrl: string, person: string): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB', colorScheme: 'light' });
  const page = await context.newPage();
  await page.goto(gatewayUrl);
  await page.getByRole('link', { name: 'Sign in', exact: true }).click();
  await page.locator(`[value="${person}"]`).click();
  await page.waitForURL((url) => url.origin === gatewayUrl);
  return page;
}
