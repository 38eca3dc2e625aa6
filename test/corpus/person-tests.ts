import { describe, expect } from '@jest/globals';
import type { Communication } from '@ops/contracts/resources/communication';
import { readPhone } from '../../services/comms-service/src/customers/identifier.rules.ts';
import { appPayload, appText, asProvider } from '../webhooks/as-provider.ts';
import { jsonOf } from './corpus-files.ts';
import { type Desk, drive } from './drive.ts';
import { eachFile, note } from './outcomes.ts';

/** Whose number it is, and what a number is. */
export function personTests(desk: () => Desk): void {
  describe('phone numbers', () => {
    eachFile('phone', /\.csv$/, async (file) => {
      const [, ...rows] = file.bytes.toString('utf8').trim().split('\n');
      const told: string[] = [];
      for (const [n, row] of rows.entries()) {
        const [country = '', incoming = '', stored = '', expected = ''] = row.split(',');
        const found = await finds(desk(), `C-corpus-${n}`, incoming, stored);
        expect([row, found]).toEqual([row, expected === 'same']);
        told.push(`${country} ${incoming} ${found ? 'is' : 'is not'} ${stored || 'anybody'}`);
      }
      note(file, told.join('; '));
    });

    eachFile('phone', /\.json$/, (file) => {
      const cases = jsonOf<PhoneCase[]>(file);
      const verdicts = cases.map((one) => verdictOn(one));
      const count = (verdict: string) => verdicts.filter((given) => given === verdict).length;
      const other = cases
        .filter((_, n) => verdicts[n] === 'another')
        .map(({ input, region }) => `${input} (${region})`);
      note(
        file,
        `${count('as expected')} of ${cases.length} as expected, ${count('refused')} refused where a number was meant, read as another: ${other.join(', ') || 'none'}`,
      );
      // What is refused somebody sees, and writes again. Another number than the one meant nobody notices.
      const mistaken = cases.filter(({ js_agrees }, n) => js_agrees && verdicts[n] === 'another');
      expect(mistaken.map(({ input, region }) => [input, region])).toEqual([]);
      expect(count('as expected')).toBeGreaterThan(cases.length / 2);
    });
  });

  describe('tokens', () => {
    eachFile('jwt', /./, async (file) => {
      const statuses = new Set<number>();
      for (const { token } of jsonOf<{ token?: string }[]>(file).filter((one) => one.token !== undefined)) {
        const headers = { authorization: `Bearer ${token}` };
        statuses.add((await fetch(`${desk().system.gatewayUrl}/ops/me`, { headers })).status);
      }
      expect([...statuses]).toEqual([401]);
      note(file, 'refused: signed by nobody we know');
    });
  });
}

/** Whether somebody stored under one number is found by a message from another. Each row has the system to itself. */
async function finds(desk: Desk, id: string, incoming: string, stored: string): Promise<boolean> {
  await desk.system.database('comms')('identifiers').delete();
  const phones = stored ? [`+${stored.replace(/^whatsapp:\+?/, '')}`] : [];
  expect((await desk.staff.put(`/ops/customers/${id}`, { name: 'Somebody', phones })).status).toBeLessThan(300);
  const provider = asProvider(desk.system.gatewayUrl);
  const form = new URLSearchParams({ MessageSid: `SM-${id}`, From: incoming, To: '+447700900000', Body: 'x' });
  const viaSms = incoming.startsWith('whatsapp:');
  await drive(
    desk,
    viaSms ? provider.sms(form.toString()) : provider.app(appPayload([appText(`wamid.${id}`, incoming, 'x')])),
  );
  const log = (await desk.staff.get(`/ops/customers/${id}/communications`)).body as { data: Communication[] };
  return log.data.length === 1;
}

interface PhoneCase {
  input: string;
  region: string | null;
  expected_e164: string | null;
  /** The library by itself reads it so. */
  js_agrees: boolean;
}

function verdictOn({ input, region, expected_e164 }: PhoneCase): 'as expected' | 'refused' | 'another' {
  const read = readPhone(input, (region ?? undefined) as Parameters<typeof readPhone>[1]);
  const value = 'value' in read ? read.value : null;
  if (value === expected_e164) return 'as expected';
  return value === null ? 'refused' : 'another';
}
