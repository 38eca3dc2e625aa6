import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@ops/test-kit/eventually';
import { root } from './compose.ts';

/** Of what `docker compose up` started, by the names the compose file gives its services. */
const project = process.env.COMPOSE_PROJECT_NAME ?? basename(root).toLowerCase();

async function docker(...args: string[]): Promise<string> {
  return (await promisify(execFile)('docker', args)).stdout.trim();
}

async function idOf(service: string): Promise<string> {
  const label = (name: string, value: string) => ['--filter', `label=com.docker.compose.${name}=${value}`];
  const id = await docker('ps', '--quiet', ...label('project', project), ...label('service', service));
  if (id === '') throw new Error(`${service} of the project ${project} does not run`);
  return id;
}

const inspect = async (service: string, format: string): Promise<string> =>
  docker('inspect', '--format', format, await idOf(service));

/** A command within its container. */
export const inside = async (service: string, ...command: string[]): Promise<string> =>
  docker('exec', await idOf(service), ...command);

/** On Linux a container's own address can be reached from where it runs. */
export async function addressOf(service: string): Promise<string> {
  const addresses = await inspect(service, '{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}');
  return addresses.split(' ')[0] as string;
}

const standing = async (service: string) =>
  (await inspect(service, '{{.State.Pid}} {{.State.Health.Status}}')).split(' ') as [pid: string, health: string];

/**
 * SIGKILL to all that runs in it, as a crash would and unlike `docker kill`, after which Docker leaves a container down; then
 * waits until its restart policy has brought it back. A container's processes are root's to kill.
 */
export async function crash(service: string): Promise<void> {
  const [pid] = await standing(service);
  process.kill(Number(pid), 'SIGKILL');
  await eventually(
    async () => {
      const [now, health] = await standing(service);
      if (now === pid || health !== 'healthy') throw new Error(`${service} is not back: ${health}`);
    },
    { everyMs: 200 },
  );
}
