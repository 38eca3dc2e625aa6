import { describe, expect } from '@jest/globals';
import { asProvider, post, type Webhook } from '../webhooks/as-provider.ts';
import { type CorpusFile, jsonOf } from './corpus-files.ts';
import { type Desk, drive, forgetItems, tell } from './drive.ts';
import { expectMeaning } from './meanings.ts';
import { eachFile, note } from './outcomes.ts';

/** What comes from phones: the messaging app and text messages. */
export function phoneAppTests(desk: () => Desk): void {
  describe('messaging app', () => {
    eachFile('whatsapp', /^(?!.*challenge).*\.json$/, async (file) => {
      const provider = asProvider(desk().system.gatewayUrl);
      await taken(desk(), file, provider.app(file.bytes));
      if (!file.meaning.includes('distinct ids')) return;
      let count = 0;
      const distinct = file.bytes.toString('utf8').replaceAll(/"id": "wamid[^"]*/g, (id) => `${id}.${count++}`);
      const given = { ...file, name: `${file.name} with distinct ids` };
      note(given, await tell(desk(), await drive(desk(), provider.app(distinct))));
    });

    eachFile('whatsapp', /challenge/, async (file) => {
      const cases = jsonOf<Record<string, Challenge>>(file);
      for (const given of Object.values(cases)) {
        const answer = await fetch(`${desk().system.gatewayUrl}/webhooks/messaging-app?${queryOf(given)}`);
        expect(answer.status).toBe(given.status);
        if (given.body !== undefined) expect(await answer.text()).toBe(given.body);
      }
      note(
        file,
        `${Object.values(cases)
          .map(({ status }) => status)
          .join(', ')} as asked`,
      );
    });
  });

  describe('SMS', () => {
    eachFile('twilio', /\.form$/, async (file) => {
      await taken(desk(), file, asProvider(desk().system.gatewayUrl).sms(file.bytes));
    });

    eachFile('twilio', /\.json$/, async (file) => {
      const form = new URLSearchParams(jsonOf<Record<string, string>>(file)).toString();
      await taken(desk(), file, asProvider(desk().system.gatewayUrl).sms(form));
    });
  });
}

interface Challenge {
  hub_mode: string;
  hub_verify_token: string;
  hub_challenge: string;
  status: number;
  body?: string;
}

const queryOf = ({ hub_mode, hub_verify_token, hub_challenge }: Challenge) =>
  new URLSearchParams({ 'hub.mode': hub_mode, 'hub.verify_token': hub_verify_token, 'hub.challenge': hub_challenge });

/** Taken as it stands, and refused with one byte changed under the same signature. */
async function taken(desk: Desk, file: CorpusFile, webhook: Webhook): Promise<void> {
  const driven = await drive(desk, webhook);
  expectMeaning(file.meaning, driven);
  note(file, await tell(desk, driven));
  await forgetItems(desk);
  const body = Buffer.from(webhook.body);
  const at = body.length >> 1;
  body[at] = (body[at] ?? 0) ^ 1;
  expect((await post(desk.system.gatewayUrl, { ...webhook, body })).status).toBe(401);
}
