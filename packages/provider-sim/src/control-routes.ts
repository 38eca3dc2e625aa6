import express, { type ErrorRequestHandler, type Response, Router } from 'express';
import { z } from 'zod';
import type { Book } from './book.ts';
import type { Deliveries } from './deliveries.ts';
import { type Faults, faultSettings } from './faults.ts';
import type { FileStore } from './file-store.ts';
import type { Hooks } from './hooks.ts';
import { channel, type Fact } from './message.ts';
import { journalView, peopleView, requestsView } from './views.ts';
import { plainAddress } from './world.ts';
import { Impossible, type Writing } from './writing.ts';

interface ControlOptions {
  book: Book;
  deliveries: Deliveries;
  writing: Writing;
  files: FileStore;
  faults: Faults;
  hooks: Hooks;
}

const address = z
  .string()
  .min(1)
  .max(254)
  .transform(plainAddress)
  .nullish()
  .transform((value) => value ?? null);
const newcomer = z
  .strictObject({ name: z.string().min(1).max(200).optional(), phone: address, user_id: address, email: address })
  .refine(({ phone, user_id, email }) => phone ?? user_id ?? email, 'a phone, a user_id or an email')
  .transform((given) => ({ ...given, name: given.name ?? String(given.phone ?? given.user_id ?? given.email) }));

const file = z.object({ id: z.string(), name: z.string(), media_type: z.string(), size: z.int() });
const letter = z.strictObject({
  channel,
  text: z.string().max(1_000_000).default(''),
  subject: z.string().max(998).optional(),
  reply_to: z.string().optional(),
  files: z.array(file).max(10).optional(),
  at: z.iso.datetime().optional(),
});

/** What the page and the tests ask of the world outside. JSON only, so that no form of another page reaches it. */
export function controlRoutes(options: ControlOptions): Router {
  const { book, deliveries, writing, faults, hooks } = options;
  const { world } = book;
  const router = Router();
  router.use(express.json({ limit: '2mb' }));
  router.get('/people', (_req, res) => void res.json({ data: peopleView(world) }));
  router.post('/people', (req, res) => void res.status(201).json(book.introduce(newcomer.parse(req.body))));
  router.get('/people/:id', (req, res) => {
    const person = world.person(req.params.id);
    if (!person) throw new Impossible('nobody of that id');
    res.json({ person, messages: world.messages({ person: person.id }) });
  });
  router.post('/people/:id/messages', async (req, res) => {
    res.status(201).json(await writing.write(req.params.id, letter.parse(req.body)));
  });
  router.post('/people/:id/look', async (req, res) => {
    await deliveries.look(req.params.id, z.object({ channel }).parse(req.body).channel);
    res.status(204).end();
  });
  router.post('/messages/:id/reaction', async (req, res) => {
    await writing.react(req.params.id, z.object({ emoji: z.string().max(20).nullable() }).parse(req.body).emoji);
    res.status(204).end();
  });
  router.post('/messages/:id/change', async (req, res) => {
    await writing.change(req.params.id, z.object({ text: z.string().max(4096).nullable() }).parse(req.body).text);
    res.status(204).end();
  });
  router.get('/journal', (_req, res) => void res.json({ data: journalView(world), webhooks_waiting: hooks.waiting() }));
  router.get('/requests', (_req, res) => void res.json({ data: requestsView(world) }));
  router.get('/faults', (_req, res) => void res.json(faults.settings()));
  router.post('/faults', (req, res) => {
    faults.set(faultSettings.parse(req.body ?? {}));
    res.json(faults.settings());
  });
  router.get('/stream', (_req, res) => stream(book, res));
  router.use(fileRoutes(options), refusals);
  return router;
}

function fileRoutes({ files, book }: ControlOptions): Router {
  const router = Router();
  const bytes = express.raw({ type: () => true, limit: '40mb' });
  router.post('/files', requireMark, bytes, async (req, res) => {
    const name = String(req.query.name ?? 'file').slice(0, 255);
    const media_type = req.get('content-type') ?? 'application/octet-stream';
    res.status(201).json(await files.put(req.body, { name, media_type }));
  });
  router.get('/files/:id', async (req, res) => {
    const stored = await files.get(req.params.id);
    if (!stored) throw new Impossible('no file of that id');
    const { name, media_type } = stored.file;
    const shown = /^image\/(png|jpeg|gif|webp)$/.test(media_type);
    res.set({ 'Content-Type': media_type, 'Content-Security-Policy': "default-src 'none'; sandbox" });
    res.set('Content-Disposition', `${shown ? 'inline' : 'attachment'}; filename*=UTF-8''${encodeURIComponent(name)}`);
    res.send(stored.bytes);
  });
  router.get('/messages/:id/html', (req, res) => {
    const html = book.world.message(req.params.id)?.html;
    if (!html) throw new Impossible('no such mail');
    res.set('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox");
    res.type('html').send(html);
  });
  return router;
}

/** A file may be of any type, so its type does not keep other pages' forms out; a header of our own does. */
const requireMark: express.RequestHandler = (req, _res, next) =>
  next(req.get('x-simulator') ? undefined : new Impossible('x-simulator is missing'));

/** Tells a page whose conversation to look at again. */
function stream(book: Book, res: Response): void {
  res.set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  res.flushHeaders();
  res.write(': here\n\n');
  const unwatch = book.watch((fact) => {
    const person = personIn(book, fact);
    if (person !== undefined) res.write(`data: ${JSON.stringify({ person })}\n\n`);
  });
  res.on('close', unwatch);
}

function personIn({ world }: Book, fact: Fact): string | undefined {
  if (fact.fact === 'person') return fact.person.id;
  if (fact.fact === 'message') return fact.message.person;
  if (fact.fact === 'seen') return world.message(fact.message_ids[0] ?? '')?.person;
  return 'message_id' in fact ? world.message(fact.message_id ?? '')?.person : undefined;
}

const refusals: ErrorRequestHandler = (error, _req, res, next) => {
  if (error instanceof Impossible) return void res.status(422).json({ detail: error.message });
  if (error instanceof z.ZodError) return void res.status(422).json({ detail: z.prettifyError(error) });
  next(error);
};
