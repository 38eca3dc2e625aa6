import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Book } from '../book.ts';
import type { Config } from '../config.ts';
import type { Accepted, Deliveries } from '../deliveries.ts';
import type { Faults } from '../faults.ts';
import type { FileStore } from '../file-store.ts';
import type { StoredFile } from '../message.ts';
import { marked, undergo } from '../undergo.ts';
import { plainAddress } from '../world.ts';
import {
  type CloudRefusal,
  cloudError,
  parametersOf,
  readRequest,
  refusedByCode,
  type SendRequest,
  sendRequest,
  templateRefusal,
} from './cloud-requests.ts';

export interface CloudOptions {
  config: Config;
  book: Book;
  deliveries: Deliveries;
  files: FileStore;
  faults: Faults;
  newExternalId(): string;
  ownUrl(): string;
}

/** The messaging app's API: messages and media, any version of it. */
export function cloudRoutes(options: CloudOptions): Router {
  const { config } = options;
  const router = Router();
  const own = `/:version/${config.MESSAGING_APP_PHONE_NUMBER_ID}`;
  router.use('/:version', versionsOnly, marked);
  router.use('/:version', withToken(config));
  router.post(`${own}/messages`, express.json({ limit: '1mb' }), (req, res) => send(options, req, res));
  router.post(`${own}/media`, express.raw({ type: () => true, limit: '100mb' }), (req, res) =>
    upload(options.files, req, res),
  );
  router.get('/:version/media-content/:id', (req, res) => download(options.files, req, res));
  router.get('/:version/me', (req, res) => ownAccount(options, req, res));
  router.get(own, (req, res) => ownNumber(options, req, res));
  router.get('/:version/:id', (req, res) => describe(options, req, res));
  router.use('/:version', (_req, res) => refuse(res, { status: 400, code: 100, message: 'Unsupported request' }));
  return router;
}

const versionsOnly: RequestHandler = (req, _res, next) =>
  next(/^v\d+\.\d+$/.test(String(req.params.version)) ? undefined : 'router');

function withToken({ MESSAGING_APP_ACCESS_TOKEN }: Config): RequestHandler {
  return (req, res, next) => {
    if (req.get('authorization') === `Bearer ${MESSAGING_APP_ACCESS_TOKEN}`) return next();
    refuse(res, { status: 401, code: 190, message: 'Invalid OAuth access token' });
  };
}

const refuse = (res: Response, refusal: CloudRefusal) => void res.status(refusal.status).json(cloudError(refusal));

async function send(options: CloudOptions, req: Request, res: Response): Promise<void> {
  const { config, faults, deliveries, newExternalId } = options;
  if (readRequest.safeParse(req.body).success) return void res.json({ success: true });
  const parsed = sendRequest.safeParse(req.body);
  if (!parsed.success) return refuse(res, { status: 400, code: 100, message: 'Invalid parameter' });
  const request = parsed.data;
  const to = plainAddress(request.to ?? String(request.recipient));
  const code = faults.settings().refused[to];
  const refusal = code ? refusedByCode(code) : templateRefusal(request, config.MESSAGING_APP_TEMPLATES);
  if (refusal) return refuse(res, refusal);
  if (request.reaction) return react(options, request.reaction, newExternalId(), res);
  const accepted = await acceptedOf(options, request, to);
  if (!accepted) return refuse(res, { status: 400, code: 131053, message: 'Media upload error' });
  const fate = deliveries.asked('MESSAGING_APP', accepted.mark, faults.fate('MESSAGING_APP'));
  await undergo(fate, faults.settings(), res, {
    take: async () => {
      await deliveries.take(accepted);
      return { status: 200, body: answerTo(request, accepted) };
    },
    failed: cloudError({ code: 131000, message: 'Something went wrong' }),
    throttled: cloudError({ code: 130429, message: 'Rate limit hit' }),
  });
}

function react({ book }: CloudOptions, reaction: { message_id: string; emoji: string }, id: string, res: Response) {
  const message = book.world.messageNamed(reaction.message_id);
  const emoji = reaction.emoji === '' ? null : reaction.emoji;
  if (message) book.record({ fact: 'reaction', message_id: message.id, by_firm: true, emoji });
  res.json({ messaging_product: 'whatsapp', messages: [{ id }] });
}

/** Undefined: it names media nobody uploaded. */
async function acceptedOf(options: CloudOptions, request: SendRequest, to: string): Promise<Accepted | undefined> {
  const { template, type } = request;
  const media = type === 'text' || type === 'template' || type === 'reaction' ? undefined : request[type];
  const stored = media && (await options.files.get(media.id));
  if (media && !stored) return undefined;
  const file: StoredFile[] = stored ? [{ ...stored.file, name: media.filename ?? stored.file.name }] : [];
  return {
    channel: 'MESSAGING_APP',
    to,
    external_id: options.newExternalId(),
    subject: null,
    text: template ? parametersOf(template).join('\n') : (request.text?.body ?? media?.caption ?? ''),
    html: null,
    files: file,
    reply_to: request.context?.message_id ?? null,
    mark: request.biz_opaque_callback_data ?? null,
    template: template ? `${template.name}:${template.language.code}` : null,
    mail: null,
  };
}

const answerTo = (request: SendRequest, accepted: Accepted) => ({
  messaging_product: 'whatsapp',
  contacts: [
    request.to === undefined
      ? { input: request.recipient, user_id: accepted.to }
      : { input: request.to, wa_id: accepted.to.replace(/^\+/, '') },
  ],
  messages: [{ id: accepted.external_id, ...(request.template && { message_status: 'accepted' }) }],
});

async function upload(files: FileStore, req: Request, res: Response): Promise<void> {
  const form = await new globalThis.Response(new Uint8Array(req.body), {
    headers: { 'content-type': req.get('content-type') ?? '' },
  })
    .formData()
    .catch(() => undefined);
  const file = form?.get('file');
  if (!file || typeof file === 'string' || form?.get('messaging_product') !== 'whatsapp')
    return refuse(res, { status: 400, code: 100, message: 'Invalid parameter' });
  const media_type = String(form.get('type') ?? file.type);
  const { id } = await files.put(new Uint8Array(await file.arrayBuffer()), { name: file.name, media_type });
  res.json({ id });
}

/** The account the token is of; what else it has is shown on demand alone. */
const ownAccount = (options: CloudOptions, req: Request, res: Response) =>
  read(options, req, res, { id: '100000000000008', name: 'Demo Office' }, ['id', 'name']);

/** The firm's own number, with the fields that were asked for, else those the provider shows by itself. */
function ownNumber(options: CloudOptions, req: Request, res: Response): Promise<void> {
  const number = {
    id: options.config.MESSAGING_APP_PHONE_NUMBER_ID,
    verified_name: 'Demo Office',
    code_verification_status: 'VERIFIED',
    display_phone_number: options.config.SMS_FROM,
    quality_rating: 'GREEN',
    platform_type: 'CLOUD_API',
    throughput: { level: 'STANDARD' },
    name_status: 'APPROVED',
    account_mode: 'SANDBOX',
  };
  const usual = Object.keys(number).filter((field) => field !== 'name_status' && field !== 'account_mode');
  return read(options, req, res, number, usual);
}

async function read({ faults }: CloudOptions, req: Request, res: Response, whole: object, usual: string[]) {
  const asked = req.query.fields ? String(req.query.fields).split(',') : usual;
  const shown = Object.entries(whole).filter(([field]) => field === 'id' || asked.includes(field));
  await undergo(faults.fate('MESSAGING_APP'), faults.settings(), res, {
    take: async () => ({ status: 200, body: Object.fromEntries(shown) }),
    failed: cloudError({ code: 131000, message: 'Something went wrong' }),
    throttled: cloudError({ code: 130429, message: 'Rate limit hit' }),
  });
}

async function describe({ files, ownUrl }: CloudOptions, req: Request, res: Response): Promise<void> {
  const stored = await files.get(String(req.params.id));
  if (!stored) return refuse(res, { status: 400, code: 100, message: 'Object does not exist' });
  const { id, media_type, size } = stored.file;
  const url = `${ownUrl()}/${req.params.version}/media-content/${id}`;
  res.json({ messaging_product: 'whatsapp', url, mime_type: media_type, sha256: '', file_size: size, id });
}

async function download(files: FileStore, req: Request, res: Response): Promise<void> {
  const stored = await files.get(String(req.params.id));
  if (!stored) return void res.status(404).end();
  res.set('Content-Type', stored.file.media_type).send(stored.bytes);
}
