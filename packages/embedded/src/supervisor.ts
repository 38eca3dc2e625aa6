import { mkdir, rm } from 'node:fs/promises';
import { demoPeople } from '@ops/demo/demo-data';
import { requestToken } from '@ops/demo/request-token';
import { type Seeding, seedDemo } from '@ops/demo/seed';
import { seedFirm } from '@ops/demo/seed-firm';
import { describeEnding, type Ending, endLeftover } from '@ops/machine/child-process';
import { takeInstanceLock } from '@ops/machine/instance-lock';
import type { ProcessSpec } from '@ops/machine/managed-process';
import { type ReservedPort, reserveGivenPort } from '@ops/machine/ports';
import { buildPages } from '@ops/ops-ui/build';
import { prepareDatabase } from './database.ts';
import { formatLine } from './log-format.ts';
import { loadSecrets } from './secrets.ts';
import type { StartSettings } from './settings.ts';
import { settingsTold } from './settings-told.ts';
import { composeSystem, type System } from './system.ts';
import { type RunFile, readRunFile, runFilePath, writeRunFile } from './token.ts';

/** What to undo when everything stops, last first. */
type Undo = (() => unknown)[];

/**
 * Runs the whole system until a signal asks it to stop (0) or one of its processes ends by itself (1). Nothing is
 * restarted silently. Whatever was started when it ends is stopped, also when the start itself is interrupted.
 */
export async function supervise(settings: StartSettings): Promise<number> {
  const undo: Undo = [];
  const stopping = new AbortController();
  const crashed = Promise.withResolvers<string>();
  const ending = Promise.race([stopAsked(), crashed.promise]);
  const started = bringUp(settings, undo, stopping.signal, crashed.resolve);
  try {
    await Promise.race([ending, started]);
    const reason = await ending;
    console.log(`\n${reason}: stopping everything`);
    return reason === stopWord ? 0 : 1;
  } finally {
    stopping.abort();
    await undoAll(undo);
    // A start that was interrupted ends at its next step; what it had begun by then is undone too.
    await started.catch(() => undefined);
    await undoAll(undo);
  }
}

async function undoAll(undo: Undo): Promise<void> {
  for (let step = undo.pop(); step; step = undo.pop()) await step();
}

const stopWord = 'asked to stop';

/**
 * Ctrl-C reaches us from the terminal and from the launcher too: asked once is asked. The launcher's channel closes
 * when it is killed; it must not keep us alive once all is done. With nobody left to read, there is nobody left to stop us.
 */
function stopAsked(): Promise<string> {
  return new Promise((resolve) => {
    const asked = () => resolve(stopWord);
    for (const event of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect']) process.on(event, asked);
    for (const stream of [process.stdout, process.stderr]) stream.on('error', asked);
    process.channel?.unref();
  });
}

async function bringUp(
  settings: StartSettings,
  undo: Undo,
  stopping: AbortSignal,
  crashed: (reason: string) => void,
): Promise<void> {
  await holdDataDirectory(settings.dataDir, undo);
  const gatewayPort = await holdGatewayPort(settings.port);
  const secrets = await loadSecrets(settings.dataDir);
  const [databaseUrls] = await Promise.all([prepareDatabase(settings, secrets, undo, crashed), buildPages()]);
  stopping.throwIfAborted();
  console.log('- starting the services');
  const system = await composeSystem(
    { ...settings, databaseUrls, secrets, gatewayPort, people: settings.seed === 'demo' ? demoPeople : [] },
    (name) => (line) => console.log(formatLine(name, line)),
    (spec: ProcessSpec, ending: Ending) => crashed(`${spec.name} ${describeEnding(ending)}, crashed`),
  );
  undo.push(() => system.stop());
  await system.start();
  stopping.throwIfAborted();
  await announce(settings, system, settingsTold(system.specOf), undo);
}

async function holdDataDirectory(dataDir: string, undo: Undo): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const lock = takeInstanceLock(dataDir);
  const last = await readRunFile(dataDir);
  if (!lock) {
    const which = last ? ` (process ${last.pid}, ${last.url})` : '';
    throw new Error(`already running on ${dataDir}${which}: stop it first, or give another folder as OPS_DATA_DIR`);
  }
  undo.push(() => lock.release());
  if (last) await endLeftovers(last, dataDir);
}

/** The last supervisor was killed. Its processes saw that and are stopping; the gateway may still hold the port. */
async function endLeftovers({ processes }: RunFile, dataDir: string): Promise<void> {
  await Promise.all(Object.values(processes).map((pid) => endLeftover(pid, 'src/main.ts', 'SIGTERM', 8000)));
  await rm(runFilePath(dataDir), { force: true });
}

async function holdGatewayPort(port: number): Promise<ReservedPort> {
  return reserveGivenPort(port).catch((error) => {
    if (error.code === 'EACCES') throw new Error(`port ${port} is not for ordinary users: PORT=8080 npm start`);
    if (error.code !== 'EADDRINUSE') throw error;
    throw new Error(`port ${port} is taken by another program: PORT=${port + 1} npm start, or PORT=0 for any free one`);
  });
}

type Told = RunFile['settings'];

async function announce(settings: StartSettings, system: System, told: Told, undo: Undo): Promise<void> {
  undo.push(() => rm(runFilePath(settings.dataDir), { force: true }));
  await writeRunFile(settings.dataDir, runFileOf(system, told));
  const { gatewayUrl, simulatorUrl, issuer, tokenClient } = system;
  const getToken: Seeding['getToken'] = (role) => requestToken(issuer, tokenClient, role);
  const seeding = { gatewayUrl, simulatorUrl, dataDir: settings.dataDir, getToken };
  const there = settings.seed === 'demo' ? await seedDemo(seeding) : undefined;
  console.log(`ready ${gatewayUrl}\n${howToUse(gatewayUrl, simulatorUrl)}`);
  if (there !== undefined) fillBehind(seeding, there, undo);
}

/** Nobody waits for it, and nothing depends on it; it is stopped before the processes it asks. */
function fillBehind(seeding: Seeding & { simulatorUrl: string }, there: number, undo: Undo): void {
  const stopping = new AbortController();
  const filling = seedFirm({ ...seeding, stopping: stopping.signal }, there).catch((error: unknown) => {
    if (!stopping.signal.aborted) console.log(`- demo: the rest comes with the next start: ${String(error)}`);
  });
  undo.push(async () => {
    stopping.abort();
    await filling;
  });
}

const runFileOf = ({ gatewayUrl, issuer, tokenClient, processes }: System, settings: Told): RunFile => ({
  pid: process.pid,
  url: gatewayUrl,
  issuer,
  token_client: tokenClient,
  processes: Object.fromEntries(processes.map(({ name, pid }) => [name, pid ?? 0])),
  settings,
});

const howToUse = (url: string, simulatorUrl: string) => `
  sign in    ${url}/auth/login    as one of the demo people; no password
  API        ${url}/docs
  outside    ${simulatorUrl}    customers' phones and mailboxes
  a token    npm run -s token -- --role staff
  stop       Ctrl-C
`;
