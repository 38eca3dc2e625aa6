import { isAlive } from '@ops/machine/child-process';
import { examine } from '@ops/service-kit/doctor/examine';
import { type Check, type Examined, failed, type Line, ok, warning } from '@ops/service-kit/doctor/finding';
import type { DoctorOptions } from '@ops/service-kit/doctor/options';
import { ask } from '@ops/service-kit/doctor/question';
import { scrubberOf } from '@ops/service-kit/doctor/scrub';
import { deployed } from '../deployed.ts';
import { dataDirectory } from '../settings.ts';
import { type RunFile, readRunFile } from '../token.ts';
import { machineChecks } from './machine.ts';
import { processExamined } from './processes.ts';
import { togetherExamined } from './together.ts';

/** What `npm start` needs, whether it runs, and how each of its processes is. */
export async function startExamined(options: DoctorOptions): Promise<Examined[]> {
  const dataDir = dataDirectory();
  const last = await readRunFile(dataDir).catch((error: Error) => error);
  const running = last && !(last instanceof Error) && isAlive(last.pid) ? last : undefined;
  const door = running && examine([doorCheck(running, options.timeoutMs)], options.timeoutMs);
  const machine = examine(machineChecks(dataDir, running !== undefined, options.timeoutMs), options.timeoutMs);
  const processes = running && isTold(running) ? await processesExamined(running, options) : [];
  const here = {
    process: 'this machine',
    checks: [
      ...(await machine).map(scrubberOf(process.env)),
      runningLine(dataDir, last, running),
      ...((await door) ?? []),
    ],
  };
  return [here, ...processes];
}

/** Where people and programs come in. */
const doorCheck = ({ url, pid }: RunFile, timeoutMs: number): Check => ({
  name: 'door',
  fix: `if process ${pid} is npm start, stop it and start it again; if it is another, npm start`,
  async run() {
    const { status } = await ask(`${url}/readyz`, timeoutMs);
    if (status === 200) return [ok('door', `ready at ${url}`)];
    return [
      failed(
        'door',
        `${url}/readyz answered ${status}`,
        'what is found below, and the lines npm start writes, say why',
      ),
    ];
  },
});

/** An older version did not say what it told its processes. */
const isTold = ({ settings }: RunFile) => Object.keys(settings).length > 0;

function runningLine(dataDir: string, last: RunFile | Error | undefined, running: RunFile | undefined): Line {
  if (last instanceof Error) return failed('npm start', 'what it left for this command is of no use', last.message);
  if (running && !isTold(running))
    return warning('npm start', `runs as an older version on ${dataDir}`, 'stop it and start it again to see more');
  if (running) return ok('npm start', `runs at ${running.url} (process ${running.pid}), on ${dataDir}`);
  const elsewhere = 'npm start; if it runs on another folder, give this command the same OPS_DATA_DIR';
  if (last) return warning('npm start', `has ended without a word on ${dataDir}`, elsewhere);
  return warning('npm start', `does not run on ${dataDir}, so none of its processes was looked at`, elsewhere);
}

async function processesExamined(running: RunFile, options: DoctorOptions): Promise<Examined[]> {
  const told = deployed.map((name) => processExamined(name, running.settings[name] ?? {}, options));
  const dead = Object.entries(running.processes).filter(([, pid]) => !isAlive(pid));
  const ended = dead.map(([name]) =>
    failed(name, 'has ended', 'stop npm start and start it again; its last lines say why'),
  );
  const together = await togetherExamined(running.settings);
  return [...(await Promise.all(told)), { ...together, checks: [...ended, ...together.checks] }];
}
