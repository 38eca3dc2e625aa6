import { execFile } from 'node:child_process';
import type { Examined } from '@ops/service-kit/doctor/finding';
import { failed } from '@ops/service-kit/doctor/finding';
import type { DoctorOptions } from '@ops/service-kit/doctor/options';
import { type Deployed, sourceOf } from '../deployed.ts';

/** Over the time each check of it has: to start, and to tell. */
const overheadMs = 30_000;

/** A process's own doctor, told what the process is told and nothing else of ours. */
export function processExamined(
  name: Deployed,
  settings: NodeJS.ProcessEnv,
  { timeoutMs }: DoctorOptions,
  flags: readonly string[] = [],
): Promise<Examined> {
  const args = [sourceOf(name, 'doctor.ts'), '--json', '--timeout', String(timeoutMs / 1000), ...flags];
  const options = { env: { ...machineWide(), ...settings }, timeout: timeoutMs + overheadMs };
  return new Promise((resolve) => {
    execFile(process.execPath, args, options, (_error, stdout, stderr) =>
      resolve(read(stdout) ?? silent(name, stderr)),
    );
  });
}

function read(stdout: string): Examined | undefined {
  try {
    return JSON.parse(stdout).processes[0];
  } catch {
    return undefined;
  }
}

const silent = (name: Deployed, stderr: string): Examined => ({
  process: name,
  checks: [
    failed(
      'doctor',
      `said nothing: ${stderr.trim().split('\n')[0] ?? ''}`,
      `node ${sourceOf(name, 'doctor.ts')} with its settings`,
    ),
  ],
});

/** How this machine reaches others, which no process has as a setting. */
const ways = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'NODE_USE_ENV_PROXY'];
const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'];

const machineWide = (): NodeJS.ProcessEnv =>
  Object.fromEntries([...ways, ...proxies].flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
