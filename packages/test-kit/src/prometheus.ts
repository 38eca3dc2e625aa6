import { spawnSync } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reservePort } from '@ops/machine/ports';
import { unpackedPackages } from './debian-packages.ts';
import { startProgram } from './program.ts';

export interface Prometheus {
  /** An answer of its API; rejects with what it has to say otherwise. */
  get<T>(path: string, query?: Record<string, string>): Promise<T>;
  stop(): Promise<void>;
}

interface Programs {
  prometheus: string;
  promtool: string;
}

/** The installed ones, else Debian's, unpacked in `.tools`. Undefined: this is no Debian. */
export async function findPrometheus(): Promise<Programs | undefined> {
  const installed = ['prometheus', 'promtool'].every((name) => spawnSync(name, ['--version']).status === 0);
  if (installed) return { prometheus: 'prometheus', promtool: 'promtool' };
  // Both stand alone; what else the package asks for is its pages.
  const choose = async () => ['prometheus'];
  const home = await unpackedPackages({ name: 'prometheus', choose });
  const at = (name: string) => join(home ?? '', 'usr', 'bin', name);
  return home ? { prometheus: at('prometheus'), promtool: at('promtool') } : undefined;
}

/** A Prometheus of the test's own with these files, of which `prometheus.yaml` is its configuration. */
export async function startPrometheus(files: Record<string, string>): Promise<Prometheus> {
  const programs = await findPrometheus();
  if (!programs) throw new Error('There is no Prometheus here (Debian and Ubuntu: apt-get install prometheus)');
  const home = await mkdtemp(join(tmpdir(), 'ops-test-prometheus-'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(home, name), text);
  const reserved = await reservePort();
  const address = `127.0.0.1:${reserved.port}`;
  const settings = { 'config.file': 'prometheus.yaml', 'storage.tsdb.path': 'data', 'web.listen-address': address };
  const args = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  await reserved.release();
  const ready = async () => {
    if (!(await fetch(`http://${address}/-/ready`)).ok) throw new Error('not ready yet');
  };
  const stop = await startProgram({ name: 'prometheus', command: programs.prometheus, args, home, ready });
  return { get: (path, query = {}) => ask(address, path, query), stop };
}

async function ask<T>(address: string, path: string, query: Record<string, string>): Promise<T> {
  const answer = await fetch(`http://${address}/api/v1/${path}?${new URLSearchParams(query)}`);
  const { status, data, error } = (await answer.json()) as { status: string; data: T; error?: string };
  if (status !== 'success') throw new Error(`${path} ${JSON.stringify(query)}: ${error}`);
  return data;
}
