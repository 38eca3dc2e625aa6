import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect } from '@jest/globals';
import { createCloudApi } from '../../services/webhook-ingest/src/providers/cloud-api/cloud-api-provider.ts';
import { createMailgun } from '../../services/webhook-ingest/src/providers/email/mailgun-provider.ts';
import type { RawRequest, Verdict } from '../../services/webhook-ingest/src/providers/provider.ts';
import { isSignedBy } from '../../services/webhook-ingest/src/providers/twilio/twilio-signature.ts';
import { type CorpusFile, jsonOf, root } from './corpus-files.ts';
import { eachFile, note } from './outcomes.ts';

/** Vectors are signed with secrets of their own: here the providers' own check is asked, without a process around it. */
export function signatureTests(): void {
  const request = (body: Buffer, headers: RawRequest['headers'], receivedAt = new Date()): RawRequest => ({
    method: 'POST',
    path: '/',
    headers,
    body,
    receivedAt,
  });
  /** The same with one bit of its last byte turned. */
  const spoilt = (bytes: Buffer) => Buffer.from(bytes.map((byte, n) => (n === bytes.length - 1 ? byte ^ 1 : byte)));

  describe('signatures of the messaging app', () => {
    eachFile('whatsapp/signature', /vector/, async (file) => {
      const { app_secret, secret, value, header, expected, ...vector } = jsonOf<AppVector>(file);
      const body = bodyOf(file, vector);
      if (body === undefined) return note(file, 'its body is not in the corpus');
      const verify = (bytes: Buffer) =>
        createCloudApi({ appSecrets: [app_secret ?? secret ?? ''], verifyTokens: [] }).verify(
          request(bytes, { [header.toLowerCase()]: value }),
        );
      expect((await verify(body)).ok).toBe(expected === 'valid');
      expect((await verify(spoilt(body))).ok).toBe(false);
      return note(file, 'accepted; with a bit turned, refused');
    });
    eachFile('whatsapp/signature', /negative/, (file) => {
      note(file, 'each is a case of the suite of webhook-ingest itself');
    });
  });

  describe('signatures of Twilio', () => {
    eachFile('twilio/signature', /./, (file) => {
      const vectors = jsonOf<SmsVector[]>(file);
      for (const { name, url, params, body, signature, auth_token, valid } of vectors) {
        const bytes = Buffer.from(body ?? formOf(params).toString());
        const signed = (address: string, given: Buffer) => isSignedBy(auth_token, signature ?? '', address, given);
        expect([name, signed(url, bytes)]).toEqual([name, valid]);
        expect([name, signed(`${url}x`, bytes), signed(url, spoilt(bytes))]).toEqual([name, false, false]);
      }
      note(
        file,
        `${vectors.filter(({ valid }) => valid).length} accepted and, with a byte changed, refused; ${vectors.filter(({ valid }) => !valid).length} refused`,
      );
    });
  });

  describe('signatures of Mailgun', () => {
    eachFile('mailgun/signature', /./, async (file) => {
      const vectors = jsonOf<MailVector[]>(file);
      for (const vector of vectors) {
        const wanted = vector.key !== '' && vector.valid !== false;
        expect([vector.name, (await mailVerdict(vector)).ok]).toEqual([vector.name, wanted]);
        const signature = `${vector.signature.slice(0, -1)}${vector.signature.endsWith('0') ? '1' : '0'}`;
        expect([vector.name, (await mailVerdict({ ...vector, signature })).ok]).toEqual([vector.name, false]);
      }
      note(file, `${vectors.length} as the vectors say; with a digit changed, refused`);
    });
  });

  function mailVerdict({
    key,
    timestamp,
    token,
    signature,
    now,
    now_offset_s,
  }: MailVector): Verdict | Promise<Verdict> {
    const provider = createMailgun({ signingKeys: key ? [key] : [], toleranceSeconds: 300, newId: () => '' });
    const form = new URLSearchParams({ timestamp: String(timestamp), token, signature }).toString();
    const signedAt = Number(timestamp) * 1_000;
    const at = now === undefined ? new Date((signedAt || 0) + (now_offset_s ?? 0) * 1_000) : new Date(now);
    return provider.verify(request(Buffer.from(form), { 'content-type': 'application/x-www-form-urlencoded' }, at));
  }
}

interface AppVector {
  app_secret?: string;
  secret?: string;
  header: string;
  value: string;
  expected: string;
  body?: string;
  body_file?: string;
}

interface SmsVector {
  name: string;
  url: string;
  params: Record<string, string | string[]>;
  body?: string;
  signature: string | null;
  auth_token: string;
  valid: boolean;
}

interface MailVector {
  name: string;
  key: string;
  timestamp: number | string;
  token: string;
  signature: string;
  now?: string;
  now_offset_s?: number;
  valid: boolean | string;
}

function bodyOf(file: CorpusFile, vector: Pick<AppVector, 'body' | 'body_file'>): Buffer | undefined {
  if (vector.body !== undefined) return Buffer.from(vector.body);
  const path = join(root, dirname(file.name), vector.body_file ?? '');
  return vector.body_file !== undefined && existsSync(path) ? readFileSync(path) : undefined;
}

function formOf(params: SmsVector['params']): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, values] of Object.entries(params)) for (const value of [values].flat()) form.append(name, value);
  return form;
}
