import type { Page } from 'playwright-core';
import { farAway } from './demo-day.ts';

/** A page, or an important state of one, with something to look at on it. */
export interface Scene {
  name: string;
  path: string;
  /** Done once all of it shows. */
  reach(page: Page): Promise<unknown>;
}

const says =
  (...words: (string | RegExp)[]) =>
  (page: Page) =>
    Promise.all(words.map((one) => page.getByText(one).first().waitFor()));

/** Opens the first of what is listed beside the list. */
const opens = (link: string) => async (page: Page) => {
  await page.locator(link).first().click();
  await drawer(page).getByRole('button', { name: 'Close' }).waitFor();
  await drawer(page).locator('[aria-busy]').waitFor({ state: 'detached' });
  await page.waitForLoadState('networkidle');
};

const drawer = (page: Page) => page.getByRole('complementary');

const looksThrough = (file: string) => async (page: Page) => {
  await page.setInputFiles('input[type=file]', { name: 'demo.csv', mimeType: 'text/csv', buffer: Buffer.from(file) });
  await page.getByRole('button', { name: 'Look through the file' }).click();
  await page.getByRole('button', { name: /^Take in/ }).waitFor();
  await page.getByRole('row').nth(1).waitFor();
};

const chooses = (kind: string, field: string) => async (page: Page) => {
  await page.getByText(kind, { exact: true }).last().click();
  await page.getByRole('textbox', { name: field }).waitFor();
};

const createsBadly = async (page: Page) => {
  await page.getByRole('textbox', { name: 'Name' }).fill('Una Heard');
  await page.getByLabel('Phones').fill('none');
  await page.getByLabel('E-mails').fill('una@example.com\nnone');
  await page.getByRole('button', { name: 'Create this customer' }).click();
  await page.getByText(/^Line 2: /).waitFor();
};

const watchesAgain = async (page: Page) => {
  await drawer(page).getByRole('combobox', { name: 'Service' }).selectOption('WORK_PERMIT');
  await drawer(page).getByLabel('Due date').fill(farAway);
  await page.getByText('is watched for this customer already').waitFor();
};

const doesTheTask = async (page: Page) => {
  const row = page.getByRole('row', { name: /Copy the new permit/ });
  await row.getByRole('button', { name: /Complete/ }).click();
  await page.getByRole('region', { name: /Is the renewal done too/ }).waitFor();
  await row.waitFor({ state: 'detached' });
};

const liftsAnOptOut = async (page: Page) => {
  await page.getByText(/^Opted out of SMS: /).waitFor();
  await page.getByRole('button', { name: /^Lift/ }).click();
  await page.getByRole('textbox', { name: 'Why' }).waitFor();
};

const archives = async (page: Page) => {
  await page
    .getByRole('tab', { name: /^Renewals/ })
    .getByLabel(/ open$/)
    .waitFor();
  await page.getByRole('button', { name: 'Archive…' }).click();
  await page.getByRole('button', { name: 'Archive all the same' }).waitFor();
};

const opensTheHeld = opens('table a[href*="renewal="]');

const opensTheFilters = async (page: Page) => {
  await page.getByRole('button', { name: /^Filters/ }).click();
  await page.getByRole('combobox', { name: 'Status' }).waitFor();
};

const opensTheLetter = async (page: Page) => {
  const chip = page.getByRole('link', { name: /^Insurance policy DEMO-POLICY-1 due/ }).first();
  await chip.evaluate((one) => one.scrollIntoView({ block: 'center' }));
};

const looksAtPicture = async (page: Page) => {
  await page
    .getByRole('log')
    .getByRole('link', { name: /^Picture of / })
    .click();
  const viewer = page.getByRole('dialog', { name: /^Picture of / });
  await viewer.getByRole('button', { name: 'Larger' }).click();
  await viewer.getByRole('group').waitFor();
};

/** Also in a browser that has no viewer of its own, which saves it then. */
const opensDocument = async (page: Page) => {
  await page.evaluate("Object.defineProperty(navigator, 'pdfViewerEnabled', { value: true })");
  await page
    .getByRole('log')
    .getByRole('link', { name: /^passport.pdf/ })
    .click();
  await drawer(page).getByRole('link', { name: 'Download' }).waitFor();
};

const holdsTooLong = async (page: Page) => {
  await opensTheHeld(page);
  await drawer(page).getByRole('button', { name: 'Not now…' }).click();
  await drawer(page).getByLabel('The customer is not reminded until').fill(farAway);
  await drawer(page).getByRole('button', { name: 'Hold', exact: true }).click();
  await drawer(page).getByText('Must not be after the due date').waitFor();
};

const sendsOvertaken = async (page: Page) => {
  const message = page.getByRole('main').getByRole('listitem').filter({ hasText: 'Demo Overtaken' }).first();
  await message.getByRole('button', { name: 'Send again' }).click();
  await message.getByRole('button', { name: 'Send today’s instead' }).waitFor();
};

const keepsHolidays = async (page: Page) => {
  for (const day of ['Saturday', 'Sunday']) await page.getByLabel(day).uncheck();
  await page.getByLabel('The whole day').uncheck();
  await page.getByLabel('Country').selectOption('CH');
  await page.getByLabel('Region').selectOption('ZH');
  await page.getByRole('button', { name: 'Add a day' }).click();
  await page.getByLabel('Date of day 1').fill('2027-12-24');
  await page.getByLabel('Name of day 1').fill('Demo day');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('The calendar is saved.').waitFor();
  await page.getByRole('list', { name: 'Holidays' }).getByText('Demo day').waitFor();
};

const asksToTakeApart = async (page: Page) => {
  await page.getByRole('button', { name: /^Take apart/ }).click();
  await page.getByRole('button', { name: 'Leave it' }).waitFor();
};

const cancelsADuplicate = async (page: Page) => {
  await opens('table a[href*="renewal="]')(page);
  await drawer(page)
    .getByRole('button', { name: /as a duplicate/ })
    .click();
  await drawer(page).getByLabel('Why it is not to be renewed').waitFor();
};

const setting = (name: string, ...words: (string | RegExp)[]): Scene => ({
  name: `settings-${name}`,
  path: `/settings/${name}`,
  reach: says(...words),
});

const customers = 'customer_id,name\nC-1001,Demo Customer One\nC-3001,Demo Customer Five\nC-3002,\n';
const renewals =
  'customer_id,service_type,due_date,external_id\nC-1003,WORK_PERMIT,2031-01-31,E-1\nC-nobody,WORK_PERMIT,31.1.2031,E-2\n';

/** As an administrator, who sees the most. */
export const scenes: readonly Scene[] = [
  { name: 'today', path: '/', reach: says('3 days overdue', 'Sam Stranger', 'Ask the employer', /not delivered/i) },
  { name: 'waiting', path: '/waiting?view=all', reach: says('Here is the passport.', /answer by/) },
  {
    name: 'waiting-snooze',
    path: '/waiting?view=all',
    reach: async (page) => {
      await page
        .getByRole('button', { name: /^Snooze: / })
        .first()
        .click();
      await page.getByRole('menuitem', { name: /^Tomorrow/ }).waitFor();
    },
  },
  {
    name: 'waiting-snooze-until',
    path: '/waiting?view=all',
    reach: async (page) => {
      await page
        .getByRole('button', { name: /^Snooze: / })
        .first()
        .click();
      await page.getByRole('menuitem', { name: 'At another time…' }).click();
      await page.getByRole('textbox', { name: 'Until' }).waitFor();
    },
  },
  { name: 'waiting-none', path: '/waiting?view=snoozed', reach: says('Nobody who wrote is put off.') },
  { name: 'thread-waiting', path: '/customers/C-1001?queue=all', reach: says('Waiting for an answer, wrote', 'Next') },
  { name: 'customers', path: '/customers', reach: says('Demo Customer One') },
  { name: 'customers-former', path: '/customers?archived=true', reach: says('Demo Former') },
  { name: 'customers-none', path: '/customers?query=nobody', reach: says(/nobody/i) },
  {
    name: 'thread',
    path: '/customers/C-1001',
    reach: says('Here is the passport.', 'Called about', 'passport.pdf', 'Due dates', 'Files', 'came '),
  },
  { name: 'thread-picture', path: '/customers/C-1001', reach: looksAtPicture },
  { name: 'thread-document', path: '/customers/C-1001', reach: opensDocument },
  { name: 'thread-mail', path: '/customers/C-1002', reach: says('Thank you.', 'Prefers e-mail; works nights.') },
  {
    name: 'thread-cards',
    path: '/customers/C-1002',
    reach: async (page) => {
      const place = page.getByRole('region', { name: 'Place: Demo Employer' });
      await place.evaluate((one) => one.scrollIntoView({ block: 'end' }));
    },
  },
  { name: 'thread-failed', path: '/customers/C-1003', reach: says('Shall we renew it?') },
  { name: 'thread-refused', path: '/customers/C-1004', reach: says('Not to be contacted') },
  {
    name: 'customer-unknown',
    path: '/customers/C-1999',
    reach: says('These dates are watched', 'Create this customer'),
  },
  { name: 'customer-refused', path: '/customers/C-1999', reach: createsBadly },
  {
    name: 'thread-scrolled',
    path: '/customers/C-1001',
    reach: async (page) => {
      await page.getByText('Here is the passport.').waitFor();
      await page.getByRole('log').evaluate((log) => log.scrollBy(0, -130));
    },
  },
  {
    name: 'note',
    path: '/customers/C-1002',
    reach: chooses('Note', 'A note for colleagues; the customer never sees it'),
  },
  {
    name: 'note-colleagues',
    path: '/customers/C-1002',
    reach: async (page) => {
      await chooses('Note', 'A note for colleagues; the customer never sees it')(page);
      await page.getByRole('button', { name: 'Mention' }).click();
      await page.getByRole('dialog', { name: 'Colleagues' }).getByRole('listitem').first().waitFor();
    },
  },
  { name: 'call', path: '/customers/C-1002', reach: chooses('Call', 'What was said') },
  { name: 'customer-renewals', path: '/customers/C-1001?tab=renewals', reach: says('Insurance policy') },
  { name: 'customer-renewal', path: '/customers/C-1001?tab=renewals', reach: opens('table a[href*="renewal="]') },
  { name: 'customer-tasks', path: '/customers/C-1001?tab=tasks', reach: says('Complete') },
  { name: 'customer-details', path: '/customers/C-1001?tab=details', reach: says('Who changed what') },
  { name: 'customer-opted-out', path: '/customers/C-1003?tab=details', reach: liftsAnOptOut },
  { name: 'customer-archives', path: '/customers/C-1001?tab=details', reach: archives },
  {
    name: 'customer-former',
    path: '/customers/C-1992?tab=details',
    reach: says('Former', /is a former customer since/),
  },
  { name: 'customer-maybe-same', path: '/customers/C-1995', reach: says(/^May be the same as/) },
  { name: 'customer-other-ids', path: '/customers/C-1995?tab=details', reach: asksToTakeApart },
  { name: 'compare', path: '/customers/C-1994/merge?with=C-1995', reach: says('fills the gap', 'both have it') },
  { name: 'compare-whom', path: '/customers/C-1995/merge', reach: says(/may be as well$/) },
  { name: 'renewal-watched-twice', path: '/customers/C-1995?tab=renewals', reach: cancelsADuplicate },
  { name: 'timeline', path: '/customers/C-1001?tab=timeline', reach: says(/The customer wrote/) },
  {
    name: 'not-sent',
    path: '/',
    reach: async (page) => {
      await page
        .getByRole('link', { name: /not delivered/i })
        .first()
        .click();
      await page.locator('li:focus').getByRole('button', { name: 'Send again' }).waitFor();
    },
  },
  { name: 'not-sent-overtaken', path: '/not-sent', reach: sendsOvertaken },
  { name: 'renewals', path: '/renewals?window=180', reach: says('170 days') },
  {
    name: 'renewals-selected',
    path: '/renewals',
    reach: async (page) => {
      await page.getByRole('checkbox').first().check();
      await page.getByRole('checkbox').nth(1).check();
      await page.getByRole('combobox', { name: 'Give to' }).waitFor();
    },
  },
  { name: 'renewal', path: '/renewals', reach: opens('[data-urgency="14"] [data-opens]') },
  { name: 'renewal-overdue', path: '/renewals', reach: opens('[data-urgency="overdue"] [data-opens]') },
  { name: 'renewal-new', path: '/renewals?create=true', reach: says('Watch it') },
  { name: 'renewal-twice', path: '/customers/C-1003?tab=renewals&create=true', reach: watchesAgain },
  {
    name: 'renewal-unknown',
    path: '/customers/C-1999',
    reach: async (page) => {
      await page.getByRole('link', { name: 'Insurance policy' }).click();
      await drawer(page).getByRole('link', { name: 'Create this customer' }).waitFor();
    },
  },
  { name: 'renewals-filters', path: '/renewals?status=OVERDUE&agent=demo-staff', reach: opensTheFilters },
  { name: 'renewals-at-risk', path: '/renewals?risk=true', reach: says(/^At risk/) },
  { name: 'renewal-outreach', path: '/customers/C-1996?tab=renewals', reach: opensTheHeld },
  { name: 'thread-letter', path: '/customers/C-1001', reach: opensTheLetter },
  { name: 'renewal-held', path: '/customers/C-1998?tab=renewals', reach: opensTheHeld },
  { name: 'renewal-held-too-long', path: '/customers/C-1998?tab=renewals', reach: holdsTooLong },
  { name: 'dry-run', path: '/renewals/dry-run', reach: says(/Would not be alerted/) },
  { name: 'dry-run-later', path: '/renewals/dry-run?as_of=2199-01-01', reach: says(/Would be alerted/) },
  { name: 'import-customers', path: '/import/customers', reach: says('Drop a CSV file here') },
  { name: 'import-customers-checked', path: '/import/customers', reach: looksThrough(customers) },
  { name: 'import-renewals', path: '/import/renewals', reach: says('None of them') },
  { name: 'import-renewals-checked', path: '/import/renewals', reach: looksThrough(renewals) },
  { name: 'tasks', path: '/tasks?view=all', reach: says('Ask the employer for the contract') },
  {
    name: 'tasks-selected',
    path: '/tasks?view=all',
    reach: async (page) => {
      await page.getByRole('checkbox').first().check();
      await page.getByRole('combobox', { name: 'Give to' }).waitFor();
    },
  },
  { name: 'task', path: '/tasks?view=all', reach: opens('table a[href*="task="]') },
  { name: 'task-tried', path: '/customers/C-1997?tab=tasks', reach: opens('table a[href*="task="]') },
  { name: 'task-done', path: '/tasks?view=all', reach: doesTheTask },
  { name: 'task-new', path: '/tasks?create=true', reach: says('Create task') },
  { name: 'unmatched', path: '/unmatched', reach: says('Is my insurance still good?', /^Compare with/) },
  { name: 'runs', path: '/runs', reach: says(/Completed/) },
  { name: 'run', path: '/runs', reach: opens('table a[href*="run="]') },
  setting('service-types', 'Residence permit'),
  { name: 'service-type', path: '/settings/service-types', reach: opens('table a[href*="edit="]') },
  setting('agents', 'Demo Staff'),
  { name: 'agent', path: '/settings/agents', reach: opens('table a[href*="edit="]') },
  setting('templates', 'Languages'),
  { name: 'template', path: '/settings/templates', reach: opens('table a[href*="edit="]') },
  setting('replies', 'E-mail signature', 'There is none yet.'),
  setting('alert-plan', 'Alert plan'),
  { name: 'settings-calendar', path: '/settings/calendar?year=2027', reach: keepsHolidays },
  setting('sign-ins', 'Your sign-ins', 'now, here'),
  setting('dead-letters', 'Dead letters'),
  { name: 'dead-letter', path: '/settings/dead-letters?service=notifier', reach: says('customer.changed') },
  setting('webhooks', 'Provider', /bytes/),
  { name: 'webhook', path: '/settings/webhooks', reach: opens('table a[href*="delivery="]') },
  setting('audit', 'made this customer'),
  setting('retention', 'Retention'),
  {
    name: 'search',
    path: '/customers',
    reach: async (page) => {
      await page.getByRole('link', { name: 'Demo Customer One' }).waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('Demo');
      await page.getByRole('option', { name: /Demo Customer Two/ }).waitFor();
    },
  },
  {
    name: 'search-words',
    path: '/customers',
    reach: async (page) => {
      await page.getByRole('link', { name: 'Demo Customer One' }).waitFor();
      await page.keyboard.press('Control+k');
      await page.keyboard.type('passport');
      await page.getByRole('option', { name: /Here is the passport/ }).waitFor();
    },
  },
  { name: 'search-all', path: '/search?q=passport', reach: says('Here is the ', 'Tasks') },
  {
    name: 'keys',
    path: '/renewals',
    reach: async (page) => {
      await page.locator('[data-opens]').first().waitFor();
      await page.keyboard.press('Shift+?');
      await page.getByText('this list').waitFor();
    },
  },
  { name: 'nothing-here', path: '/nowhere', reach: says('There is no such page.') },
];
