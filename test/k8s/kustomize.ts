import { execFile, spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';

export interface Manifest {
  kind: string;
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> };
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
export async function render(overlay: string, folder = cluster): Promise<Manifest[]> {
  const { stdout } = await promisify(execFile)('kubectl', ['kustomize', join(folder, 'overlays', overlay)]);
  return documents(stdout);
}

/** The same with a component that is offered there, behind a `#`. */
export async function renderWith(component: string, overlay: string): Promise<Manifest[]> {
  const copy = await mkdtemp(join(tmpdir(), 'ops-test-overlay-'));
  try {
    for (const folder of ['k8s', 'monitoring'])
      await cp(join(cluster, '..', folder), join(copy, folder), { recursive: true });
    const path = join(copy, 'k8s', 'overlays', overlay, 'kustomization.yaml');
    const text = await readFile(path, 'utf8');
    const offered = `  # - ../../components/${component}\n`;
    if (!text.includes(offered)) throw new Error(`${overlay} does not offer ${component}`);
    await writeFile(path, text.replace(offered, offered.replace('# ', '')));
    return await render(overlay, join(copy, 'k8s'));
  } finally {
    await rm(copy, { recursive: true });
  }
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
