import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import type { Page } from 'playwright-core';
import { type Desk, startDesk } from './desk.ts';
import { type Hands, handsOn } from './hands.ts';
import {
  beforeTheMorning,
  failed,
  failedWords,
  historyOf,
  logOf,
  type Need,
  type Writer,
  whoNeeds,
  whoWaits,
  writers,
} from './morning-mail.ts';

let desk: Desk;
let page: Page;
let hands: Hands;
/** What each was answered. */
const answers = new Map<Writer, string>();
const permit = Buffer.from('%PDF-1.7 permit');
const newNumber = '+447700900699';

beforeAll(async () => {
  desk = await startDesk();
  await beforeTheMorning(desk);
});
afterAll(() => desk?.stop());

/** What the page told last says why it does not. */
async function shows(words: string | RegExp): Promise<void> {
  try {
    await page.getByText(words).first().waitFor();
  } catch (error) {
    throw new Error(`Told instead: ${await page.getByRole('status').allInnerTexts()}`, { cause: error });
  }
}

const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true });

/** Whom the page is about, once it shows what they wrote; undefined: it is the list again. */
async function whoIsNext(before: Writer | undefined): Promise<Writer | undefined> {
  const title = page.getByRole('heading', { level: 1 }).filter({ hasNotText: before?.name ?? 'Waiting' });
  await title.waitFor();
  const name = await title.textContent();
  const writer = writers.find((one) => one.name === name);
  if (writer) await page.getByRole('article').filter({ hasText: writer.said }).waitFor();
  return writer;
}

async function write(writer: Writer): Promise<void> {
  answers.set(writer, canary());
  await hands.press('r');
  await hands.type(answers.get(writer) as string);
}

async function answer(writer: Writer): Promise<void> {
  await write(writer);
  await hands.press('Control+Enter');
  await shows(`Answered: ${writer.name}`);
}

const twice = writers.filter(({ need }) => need === 'merge') as [Writer, Writer];

/** As somebody does it who has read what was written. */
const doing: Record<Need, (writer: Writer) => Promise<void>> = {
  answer,
  look: async (writer) => {
    await hands.tabTo(page.getByRole('article').getByRole('link', { name: /^Picture of / }));
    await hands.press('Enter');
    const viewer = page.getByRole('dialog', { name: /^Picture of / });
    await viewer.getByRole('img', { name: /^Picture of / }).waitFor();
    await hands.press('Escape');
    await viewer.waitFor({ state: 'detached' });
    await answer(writer);
  },
  'send a file': async (writer) => {
    // The browser has to be told before the key comes that it is not to show its own.
    const chooser = page.waitForEvent('filechooser');
    await write(writer);
    await hands.tabTo(page.getByRole('button', { name: 'Files', exact: true }));
    await hands.press('Enter');
    await (await chooser).setFiles({ name: 'permit.pdf', mimeType: 'application/pdf', buffer: permit });
    await page.getByRole('button', { name: 'Send e-mail', exact: true, disabled: false }).waitFor();
    await hands.press('Control+Enter');
    await shows(`Answered: ${writer.name}`);
  },
  'put off': async ({ name }) => {
    await hands.press('s');
    await page
      .getByRole('menuitem', { name: /^In 3 hours/ })
      .and(page.locator(':focus'))
      .waitFor();
    await hands.press('ArrowDown', 'Enter');
    await shows(`${name} is put off until`);
  },
  'be done': async ({ name }) => {
    await hands.press('e');
    await shows(`Done with ${name}.`);
  },
  give: async ({ name }) => {
    await hands.press('a');
    await hands.type('Ada');
    await hands.press('Enter');
    await shows(`${name} given to Ada Agent`);
    await hands.press('n');
  },
  'change the number': async (writer) => {
    await hands.press('4');
    await hands.tabTo(page.getByRole('textbox', { name: 'Phone 1' }));
    await hands.press('Control+a');
    await hands.type(newNumber);
    await hands.press('Control+Enter');
    await shows(`${writer.name} is saved.`);
    await hands.press('Escape', '1');
    await answer(writer);
  },
  merge: async () => {
    const [stays, goes] = twice;
    await page.getByRole('link', { name: 'Compare' }).waitFor();
    await hands.press('m');
    await hands.tabTo(page.getByRole('button', { name: `Merge ${goes.id} into ${stays.id}` }));
    await hands.press('Enter');
    await heading(stays.name).waitFor();
    for (const { said } of twice) await page.getByRole('article').filter({ hasText: said }).waitFor();
    await answer(stays);
  },
};

test('twelve who wait are gone through by keys alone: answered, put off, given, a photo looked at, a file sent, two merged, a number changed', async () => {
  page = await desk.arrive();
  hands = handsOn(page);
  hands.step('to sign in');
  await hands.tabTo(page.getByRole('link', { name: 'Sign in', exact: true }));
  await hands.press('Enter');
  await hands.tabTo(page.getByRole('button', { name: 'Demo Staff' }));
  await hands.press('Enter');
  await heading('Today').waitFor();
  hands.step('to those who wait');
  await hands.press('/');
  await hands.type('wai');
  await hands.press('Enter');
  await heading('Waiting').waitFor();
  await page.getByRole('row').nth(writers.length).waitFor();
  await hands.press('j', 'Enter');
  const met: string[] = [];
  for (let one = await whoIsNext(undefined); one; one = await whoIsNext(one)) {
    hands.step(`to ${one.need} (${one.name})`);
    met.push(one.id);
    await doing[one.need](one);
    if (one.need === 'merge') [one] = twice;
  }
  // Of two who are one, one was met.
  expect(met).toHaveLength(writers.length - 1);
  await heading('Waiting').waitFor();
  await shows('None of your customers who wrote waits for an answer.');
});

test('who was answered has it on their phone or in their mailbox, with the file', async () => {
  const { simulator } = desk.system;
  expect(answers.size).toBe(7);
  for (const [writer, words] of answers) {
    const theirs = writer.need === 'merge' ? twice : [writer];
    await eventually(async () =>
      expect((await Promise.all(theirs.map(({ phone }) => simulator.messages(phone)))).flat()).toContainEqual(
        expect.objectContaining({ from_firm: true, text: expect.stringContaining(words) }),
      ),
    );
  }
  const { phone } = whoNeeds('send a file');
  const [file] = (await simulator.messages(phone)).find(({ from_firm }) => from_firm)?.files ?? [];
  expect(file).toMatchObject({ name: 'permit.pdf', media_type: 'application/pdf' });
  const arrived = await fetch(`${simulator.url}/sim/files/${file?.id}`);
  expect(Buffer.from(await arrived.arrayBuffer())).toEqual(permit);
});

test('the photo is kept, two are put off, one is a colleague’s, one is done with', async () => {
  const { system } = desk;
  const [photo] = (await logOf(system, whoNeeds('look'))).flatMap(({ attachments }) => attachments as object[]);
  expect(photo).toMatchObject({ media_type: 'image/png', state: 'STORED' });
  const putOff = writers.filter(({ need }) => need === 'put off').map(({ id }) => id);
  expect((await whoWaits(system, 'snoozed')).toSorted()).toEqual(putOff);
  const staff = await system.client('staff');
  const { id } = whoNeeds('give');
  expect((await staff.get(`/ops/customers/${id}`)).body).toMatchObject({ assigned_agent: 'demo-agent' });
  // An answer counts once it has left.
  await eventually(async () => expect(await whoWaits(system)).toEqual([id]));
});

test('two who were one are one, under either id', async () => {
  const [stays, goes] = twice;
  const staff = await desk.system.client('staff');
  for (const { id } of twice)
    expect((await staff.get(`/ops/customers/${id}`)).body).toMatchObject({ id: stays.id, merged_from: [goes.id] });
});

test('the number is another one, and the history says who changed it', async () => {
  const moved = whoNeeds('change the number');
  const staff = await desk.system.client('staff');
  expect((await staff.get(`/ops/customers/${moved.id}`)).body).toMatchObject({ phones: [newNumber] });
  expect(await historyOf(desk.system, moved)).toContainEqual(
    expect.objectContaining({
      actor: 'demo-staff',
      changes: expect.arrayContaining([expect.objectContaining({ new: [newNumber], old: [moved.phone] })]),
    }),
  );
});

test('what failed is settled by keys alone, and gone from the list', async () => {
  hands.step('to settle what failed');
  await hands.press('/');
  await hands.type('failed');
  await hands.press('Enter');
  await heading('Failed and uncertain messages').waitFor();
  await shows(failedWords);
  await hands.press('j', 'e');
  const note = canary();
  await page.getByRole('textbox', { name: 'How it was settled' }).and(page.locator(':focus')).waitFor();
  await hands.type(note);
  await hands.press('Enter');
  await shows('Every message left as it should.');
  expect(await failed(desk.system)).toEqual([]);
  expect(await logOf(desk.system, whoNeeds('change the number'))).toContainEqual(
    expect.objectContaining({
      body: failedWords,
      status: 'FAILED',
      settled: expect.objectContaining({ by: 'demo-staff', note }),
    }),
  );
  console.log(`a morning by keys: ${hands.told()}`);
});

test('no page ran into an error, was refused a part of it, or asked anybody else', () => {
  expect(desk.failures()).toEqual([]);
});
