import { join } from 'node:path';
import { listen } from '@ops/service-kit/http-server';
import type { Running } from '@ops/service-kit/lifecycle';
import type { Logger } from '@ops/service-kit/logger';
import express, { type ErrorRequestHandler, type Express } from 'express';
import { v7 as uuidv7 } from 'uuid';
import { type Book, openBook } from './book.ts';
import { cloudRoutes } from './cloud-api/cloud-routes.ts';
import { createCloudWire } from './cloud-api/cloud-wire.ts';
import type { Acquaintance, Config } from './config.ts';
import { controlRoutes } from './control-routes.ts';
import { createDeliveries, type Deliveries } from './deliveries.ts';
import { createFaults, type Faults } from './faults.ts';
import { type FileStore, openFileStore } from './file-store.ts';
import { createHooks, type Hooks } from './hooks.ts';
import { openJournal } from './journal.ts';
import { createMailWire } from './mail/mail-wire.ts';
import { readMail } from './mail/read-mail.ts';
import { startMailIntake } from './mail/smtp-server.ts';
import type { Hook } from './message.ts';
import { createOutbox, undelivered } from './outbox.ts';
import { pageRoutes } from './page-routes.ts';
import { smsRoutes } from './sms-api/sms-routes.ts';
import { createSmsWire } from './sms-api/sms-wire.ts';
import { plainAddress } from './world.ts';
import { createWriting, type Writing } from './writing.ts';

const now = () => new Date();

export async function startProviderSim(config: Config, logger: Logger): Promise<Running> {
  const journal = await openJournal(config.DATA_DIR);
  const files = await openFileStore(config.DATA_DIR, uuidv7);
  const book = openBook(journal);
  const hooks = createHooks({
    post: (hook) => post(hook, files),
    done: ({ id, message_id }, taken) => book.record({ fact: 'hook_done', id, message_id, taken }),
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms).unref()),
    logger,
  });
  const address = { url: '' };
  const world = createOutside(config, {
    book,
    files,
    hooks,
    faults: createFaults(),
    ownUrl: () => address.url,
    logger,
  });
  const server = await listen(createApp(config, world, logger), { host: config.HOST, port: config.PORT, drainMs: 500 });
  address.url = config.OWN_URL ?? `http://${config.HOST}:${server.port}`;
  const mail = await startMailIntake({
    host: config.HOST,
    port: config.SMTP_PORT,
    faults: world.faults,
    asked: (messageId, fate) => void world.deliveries.asked('EMAIL', messageId, fate),
    take: (bytes, to) => takeMail(world, bytes, to),
  });
  for (const person of config.PEOPLE) introduce(book, person);
  for (const hook of undelivered(journal.kept)) void hooks.deliver(hook);
  return {
    port: server.port,
    stop: async () => {
      hooks.stop();
      await Promise.all([server.close(), mail.close()]);
      journal.close();
    },
  };
}

interface Tools {
  book: Book;
  files: FileStore;
  hooks: Hooks;
  faults: Faults;
  ownUrl(): string;
  logger: Logger;
}

interface Outside extends Tools {
  deliveries: Deliveries;
  writing: Writing;
  wires: ReturnType<typeof createWires>;
}

const createWires = (config: Config, { files, ownUrl }: Tools) => ({
  MESSAGING_APP: createCloudWire(config, now),
  SMS: createSmsWire(config, ownUrl),
  EMAIL: createMailWire(config, files, now),
});

function createOutside(config: Config, tools: Tools): Outside {
  const { book, files, hooks, faults, logger } = tools;
  const wires = createWires(config, tools);
  const background = (work: Promise<unknown>) =>
    void work.catch((error) => logger.error({ err: error }, 'what was to follow failed'));
  const outbox = createOutbox(book.record, hooks, files, uuidv7);
  const parts = { book, outbox, faults, wires, now, newId: uuidv7, background };
  return { ...tools, wires, deliveries: createDeliveries(parts), writing: createWriting(parts) };
}

function createApp(config: Config, world: Outside, logger: Logger): Express {
  const { MESSAGING_APP, SMS } = world.wires;
  const app = express().disable('x-powered-by').disable('etag');
  app.get('/healthz', (_req, res) => void res.json({ status: 'ok' }));
  app.use('/sim', controlRoutes(world));
  app.use(smsRoutes({ ...world, config, newExternalId: SMS.newExternalId }));
  app.use(pageRoutes(join(import.meta.dirname, '..', 'page')));
  app.use(cloudRoutes({ ...world, config, newExternalId: MESSAGING_APP.newExternalId }));
  app.use(failed(logger));
  return app;
}

const failed =
  (logger: Logger): ErrorRequestHandler =>
  (error, _req, res, _next) => {
    const status = Number(error.status) || 500;
    if (status >= 500) logger.error({ err: error }, 'a request failed');
    res.headersSent ? res.destroy() : res.status(status).json({ detail: 'not understood' });
  };

async function takeMail({ deliveries, files }: Outside, bytes: Buffer, to: string): Promise<void> {
  const { message_id, from, reply_to, in_reply_to, references, ...shown } = await readMail(bytes, files);
  await deliveries.take({
    ...shown,
    channel: 'EMAIL',
    to,
    external_id: message_id,
    reply_to: in_reply_to,
    mark: message_id,
    template: null,
    mail: { from, to, reply_to, references },
  });
}

async function post({ url, headers, body }: Hook, files: FileStore): Promise<{ status: number }> {
  const content = 'text' in body ? body.text : ((await files.get(body.file))?.bytes ?? '');
  const answer = await fetch(url, {
    method: 'POST',
    headers,
    body: typeof content === 'string' ? content : new Uint8Array(content),
    redirect: 'manual',
    signal: AbortSignal.timeout(15_000),
  });
  await answer.body?.cancel();
  return { status: answer.status };
}

function introduce(book: Book, { name, phones, emails }: Acquaintance): void {
  const [phone = null] = phones.map(plainAddress);
  const [email = null] = emails.map(plainAddress);
  if (phone ?? email) book.introduce({ name, phone, email, user_id: null });
}
