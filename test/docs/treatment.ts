import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import type { Newcomer, Said } from './newcomer.ts';

/** What becomes of a command: it is run and its effect is looked at, or it is said why not, and what can be checked is. */
export type Treatment = { of: [document: string, begins: string] } & (
  | { notRun?: never; run(command: string, reader: Newcomer): Promise<unknown> }
  | { notRun: string; check(reader: Newcomer, command: string): Promise<unknown> }
);

/** Run in the checkout; it has to succeed, and what it printed is looked at. */
export const runs =
  (look: (said: Said, reader: Newcomer) => unknown = () => undefined, folder: 'checkout' | 'elsewhere' = 'checkout') =>
  async (command: string, reader: Newcomer) => {
    const said = await reader.type(command, folder);
    // What it printed says why.
    expect({ ...said, command }).toEqual({ ...said, command, code: 0 });
    await look(said, reader);
  };

export const answers = (expected: object) => runs(({ out }) => expect(JSON.parse(out)).toMatchObject(expected));

/** Asked until it says so: others have to do something first. */
export const shows = (expected: object) => (command: string, reader: Newcomer) =>
  eventually(async () => {
    const { code, out } = await reader.type(command);
    expect(code).toBe(0);
    expect(JSON.parse(out).data).toContainEqual(expect.objectContaining(expected));
  });

export const answersPages = async ({ url }: Newcomer) => expect((await fetch(url)).status).toBe(200);

/** Goes on hearing; what is said to it next is its own business. */
export const stream = (tell: string, event: string) => async (command: string, reader: Newcomer) => {
  const heard = reader.leaveRunning(command);
  await eventually(() => expect(heard.out()).toContain('event: reset'));
  expect(await reader.type(tell)).toMatchObject({ code: 0 });
  await eventually(() => expect(heard.out()).toContain(`event: ${event}`));
};

export async function composeReadsTheFile(reader: Newcomer): Promise<void> {
  const { code } = await reader.type('docker compose version');
  if (code === 0) expect(await reader.type('docker compose config --quiet')).toMatchObject({ code: 0 });
  else expect(existsSync(join(reader.checkout, 'docker-compose.yml'))).toBe(true);
}
