import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';

export interface Manifest {
  kind: string;
  metadata: { name: string; labels?: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: parsed YAML
  [field: string]: any;
}

export interface Container {
  name: string;
  image: string;
  env?: { name: string; value?: string }[];
  envFrom?: { configMapRef: { name: string } }[];
  volumeMounts?: { name: string; mountPath: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: parsed YAML
  [field: string]: any;
}

/** What a manifest starts: one pod of it. */
export interface Pod {
  name: string;
  // biome-ignore lint/suspicious/noExplicitAny: parsed YAML
  spec: any;
  containers: Container[];
}

const cluster = join(import.meta.dirname, '..', '..', 'k8s');

/** The manifests of one file, as kubectl reads them, to which `off` is false and 0440 is octal. */
export const manifestsIn = async (path: string): Promise<Manifest[]> =>
  documents(await readFile(join(cluster, path), 'utf8'));

const documents = (text: string): Manifest[] =>
  parseAllDocuments(text, { version: '1.1' }).map((document) => document.toJS());

/** Components are new with kustomize 4; those of kubectl before 1.21 know none. */
export function canRender(): boolean {
  const { stdout } = spawnSync('kubectl', ['version', '--client'], { encoding: 'utf8' });
  return /Kustomize Version: v([4-9]|\d\d)\./.test(stdout ?? '');
}

/** What `kubectl apply -k` would send to the cluster. */
export async function render(overlay: string): Promise<Manifest[]> {
  const { stdout } = await promisify(execFile)('kubectl', ['kustomize', join(cluster, 'overlays', overlay)]);
  return documents(stdout);
}

export function find(manifests: readonly Manifest[], kind: string, name: string): Manifest {
  const found = manifests.find((one) => one.kind === kind && one.metadata.name === name);
  if (!found) throw new Error(`there is no ${kind} ${name}`);
  return found;
}

export function podsOf(manifests: readonly Manifest[]): Pod[] {
  return manifests.flatMap(({ kind, metadata, spec }) => {
    const template = kind === 'CronJob' ? spec.jobTemplate.spec.template : spec?.template;
    if (!template?.spec) return [];
    const containers: Container[] = [...(template.spec.initContainers ?? []), ...template.spec.containers];
    return { name: metadata.name, spec: template.spec, containers };
  });
}
