import { existsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { isUnpacked, libraryDirectories, unpackedPackages } from './debian-packages.ts';

const howToInstall =
  'There is no Chromium for the tests. Install one (Debian and Ubuntu: apt-get install chromium), or give its path as ' +
  'CHROMIUM, or use a machine with apt-get, where it is fetched.';

interface Installation {
  program: string;
  env: Record<string, string>;
}

/** The one without a window to be seen first: it does the same with half the work. */
const usualPlaces = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** A browser as people have it, without a window. */
export async function startChromium(): Promise<Browser> {
  const found = await findChromium();
  if (!found) throw new Error(howToInstall);
  return chromium.launch({
    executablePath: found.program,
    env: { ...process.env, ...found.env },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--process-per-site',
      // Of V8's own threads: two suites at once keep every processor busy as it is.
      '--js-flags=--single-threaded',
    ],
  });
}

/** The installed one, else Debian's, unpacked in `.tools`, which takes some minutes the first time. */
export async function findChromium(): Promise<Installation | undefined> {
  const installed = [process.env.CHROMIUM ?? '', ...usualPlaces].find((path) => existsSync(path));
  if (installed) return { program: installed, env: {} };
  const [lighter, usual] = ['chromium-headless-shell', 'chromium'] as const;
  if (isUnpacked(usual)) return unpacked(usual);
  return (await unpacked(lighter).catch(() => undefined)) ?? unpacked(usual);
}

async function unpacked(name: string): Promise<Installation | undefined> {
  const home = await unpackedPackages({ name, choose: (lookUp) => lookUp([name]) });
  if (!home) return undefined;
  const env = { LD_LIBRARY_PATH: (await libraryDirectories(home)).join(':'), FONTCONFIG_FILE: await fontsIn(home) };
  return { program: join(home, 'usr', 'lib', 'chromium', name), env };
}

/** The machine may have no font at all, and a browser without one ends at the first letter. */
async function fontsIn(home: string): Promise<string> {
  const file = join(home, 'fonts.conf');
  const directories = ['/usr/share/fonts', join(home, 'usr', 'share', 'fonts')].map((path) => `<dir>${path}</dir>`);
  const cache = `<cachedir>${join(home, 'font-cache')}</cachedir>`;
  // Another suite may begin at this moment, and is not to read half of it.
  const fresh = `${file}.${process.pid}`;
  await writeFile(fresh, `<?xml version="1.0"?>\n<fontconfig>${directories.join('')}${cache}</fontconfig>\n`);
  await rename(fresh, file);
  return file;
}
