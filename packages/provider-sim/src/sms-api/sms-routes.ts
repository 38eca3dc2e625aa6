import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Config } from '../config.ts';
import type { Deliveries } from '../deliveries.ts';
import type { Faults } from '../faults.ts';
import type { FileStore } from '../file-store.ts';
import { marked, undergo } from '../undergo.ts';

interface SmsOptions {
  config: Config;
  deliveries: Deliveries;
  files: FileStore;
  faults: Faults;
  newExternalId(): string;
}

/** The SMS provider's API: sending, and what a message brought along. */
export function smsRoutes(options: SmsOptions): Router {
  const { config, files } = options;
  const router = Router();
  const account = `/2010-04-01/Accounts/${config.SMS_ACCOUNT_SID}`;
  router.use('/2010-04-01', marked, withBasicAuth(config));
  router.get(`${account}.json`, (_req, res) => describe(options, res));
  router.post(`${account}/Messages.json`, express.text({ type: () => true, limit: '1mb' }), (req, res) =>
    send(options, req, res),
  );
  router.get(`${account}/Messages/:sid/Media/:id`, async (req, res) => {
    const stored = await files.get(req.params.id);
    if (!stored) return refuse(res, 404, 20404);
    res.set('Content-Type', stored.file.media_type).send(stored.bytes);
  });
  router.use('/2010-04-01', (_req, res) => refuse(res, 404, 20404));
  return router;
}

const words: Record<number, string> = {
  20003: 'Authenticate',
  20404: 'The requested resource was not found',
  20429: 'Too Many Requests',
  20500: 'Internal Server Error',
  21211: "Invalid 'To' Phone Number",
  21602: 'Message body is required',
  21606: "The 'From' phone number provided is not a valid message-capable phone number for this account",
  21610: 'Attempt to send to unsubscribed recipient',
  21617: 'The concatenated message body exceeds the 1600 character limit',
};

const refusal = (status: number, code: number) => ({ code, message: words[code] ?? 'Refused', status });
const refuse = (res: Response, status: number, code: number) => void res.status(status).json(refusal(status, code));

function withBasicAuth({ SMS_ACCOUNT_SID, SMS_AUTH_TOKEN }: Config): RequestHandler {
  const good = SMS_AUTH_TOKEN.map((one) => `Basic ${Buffer.from(`${SMS_ACCOUNT_SID}:${one}`).toString('base64')}`);
  return (req, res, next) => (good.includes(req.get('authorization') ?? '') ? next() : refuse(res, 401, 20003));
}

async function send({ config, faults, deliveries, newExternalId }: SmsOptions, req: Request, res: Response) {
  const form = new URLSearchParams(typeof req.body === 'string' ? req.body : '');
  const [to, from, body] = ['To', 'From', 'Body'].map((name) => form.get(name) ?? '') as [string, string, string];
  const code = problemOf(to, from, body, config) ?? faults.settings().refused[to];
  if (code !== undefined) return refuse(res, 400, code);
  const external_id = newExternalId();
  const mark = form.get('StatusCallback');
  await undergo(deliveries.asked('SMS', mark, faults.fate('SMS')), faults.settings(), res, {
    take: async () => {
      await deliveries.take({ ...text(body), to, external_id, mark });
      return { status: 201, body: resource(external_id, config, to, body) };
    },
    failed: refusal(faults.settings().fail_status, 20500),
    throttled: refusal(429, 20429),
  });
}

/** The account, which the provider shows with its token. */
async function describe({ config, faults }: SmsOptions, res: Response): Promise<void> {
  const { SMS_ACCOUNT_SID: sid, SMS_AUTH_TOKEN } = config;
  const made = 'Mon, 01 Jan 2024 00:00:00 +0000';
  const account = {
    sid,
    friendly_name: 'Demo Office',
    status: 'active',
    type: 'Full',
    auth_token: SMS_AUTH_TOKEN[0],
    owner_account_sid: sid,
    date_created: made,
    date_updated: made,
    uri: `/2010-04-01/Accounts/${sid}.json`,
    subresource_uris: { messages: `/2010-04-01/Accounts/${sid}/Messages.json` },
  };
  await undergo(faults.fate('SMS'), faults.settings(), res, {
    take: async () => ({ status: 200, body: account }),
    failed: refusal(faults.settings().fail_status, 20500),
    throttled: refusal(429, 20429),
  });
}

function problemOf(to: string, from: string, body: string, config: Config): number | undefined {
  if (!/^\+[1-9]\d{6,14}$/.test(to)) return 21211;
  if (from !== config.SMS_FROM) return 21606;
  if (body === '') return 21602;
  return body.length > 1600 ? 21617 : undefined;
}

const text = (body: string) => ({
  channel: 'SMS' as const,
  subject: null,
  text: body,
  html: null,
  files: [],
  reply_to: null,
  template: null,
  mail: null,
});

const resource = (sid: string, config: Config, to: string, body: string) => ({
  sid,
  account_sid: config.SMS_ACCOUNT_SID,
  api_version: '2010-04-01',
  status: 'queued',
  direction: 'outbound-api',
  from: config.SMS_FROM,
  to,
  body,
  num_media: '0',
  num_segments: String(Math.ceil(body.length / 153)),
  error_code: null,
  error_message: null,
  messaging_service_sid: null,
  uri: `/2010-04-01/Accounts/${config.SMS_ACCOUNT_SID}/Messages/${sid}.json`,
  date_created: new Date().toUTCString().replace('GMT', '+0000'),
});
