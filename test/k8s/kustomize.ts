import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseAllDocuments } from 'yaml';

/**
 * Renders what our kustomizations say, with what they use of kustomize and nothing more; what it does not know it refuses.
 * `manifests.test.ts` compares it with the real one wherever there is one. Left out is what kustomize adds to the name of a
 * ConfigMap, so that a change of it is a change of all that reads it.
 */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  // Its kind says what else it has; the schemas of manifests.test.ts check that.
  // biome-ignore lint/suspicious/noExplicitAny: parsed YAML
  [field: string]: any;
}

interface Kustomization {
  kind: 'Kustomization' | 'Component';
  namespace?: string;
  resources?: string[];
  components?: string[];
  configMapGenerator?: { name: string; behavior?: 'create' | 'merge'; envs?: string[]; files?: string[] }[];
  generatorOptions?: { disableNameSuffixHash: true; labels: Record<string, string> };
  patches?: { path?: string; patch?: string; target?: { kind: string; name?: string } }[];
  images?: { name: string; newName?: string; newTag: string }[];
}

const known = 'apiVersion kind namespace resources components configMapGenerator generatorOptions patches images'.split(
  ' ',
);

export const render = (directory: string): Promise<Manifest[]> => build(directory, []);

async function build(directory: string, given: Manifest[]): Promise<Manifest[]> {
  const [kustomization] = documents<Kustomization>(await readFile(join(directory, 'kustomization.yaml'), 'utf8'));
  if (!kustomization) throw new Error(`${directory}: nothing in it`);
  const unknown = Object.keys(kustomization).filter((field) => !known.includes(field));
  if (unknown.length > 0) throw new Error(`${directory}: not known here: ${unknown.join(', ')}`);
  let manifests = given;
  for (const path of kustomization.resources ?? []) manifests = [...manifests, ...(await read(join(directory, path)))];
  for (const generator of kustomization.configMapGenerator ?? [])
    manifests = await generate(directory, generator, kustomization.generatorOptions?.labels, manifests);
  for (const path of kustomization.components ?? []) manifests = await build(join(directory, path), manifests);
  for (const one of kustomization.patches ?? []) await patch(directory, one, manifests);
  if (kustomization.namespace) for (const one of manifests) place(one, kustomization.namespace);
  for (const image of kustomization.images ?? []) rename(manifests, image);
  return manifests;
}

async function read(path: string): Promise<Manifest[]> {
  if ((await stat(path)).isDirectory()) return build(path, []);
  return documents(await readFile(path, 'utf8'));
}

/** As kubectl reads them, to which `off` is false and 0440 is octal. */
export const documents = <T = Manifest>(text: string): T[] =>
  parseAllDocuments(text, { version: '1.1' }).map((document) => document.toJS());

async function generate(
  directory: string,
  { name, behavior, envs = [], files = [] }: NonNullable<Kustomization['configMapGenerator']>[number],
  labels: Record<string, string> | undefined,
  manifests: Manifest[],
): Promise<Manifest[]> {
  const data: Record<string, string> = {};
  for (const path of envs) Object.assign(data, settingsIn(await readFile(join(directory, path), 'utf8')));
  for (const path of files) data[basename(path)] = await readFile(join(directory, path), 'utf8');
  const metadata = { name, ...(labels && { labels }) };
  if (behavior !== 'merge') return [...manifests, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data }];
  Object.assign(find(manifests, 'ConfigMap', name).data, data);
  return manifests;
}

const settingsIn = (text: string) =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line.trim() !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );

export function find(manifests: Manifest[], kind: string, name: string): Manifest {
  const found = manifests.find((one) => one.kind === kind && one.metadata.name === name);
  if (!found) throw new Error(`there is no ${kind} ${name}`);
  return found;
}

async function patch(
  directory: string,
  { path, patch: inline, target }: NonNullable<Kustomization['patches']>[number],
  manifests: Manifest[],
): Promise<void> {
  const text = path ? await readFile(join(directory, path), 'utf8') : (inline ?? '');
  const [operations] = documents<Manifest | Operation[]>(text);
  if (Array.isArray(operations)) {
    for (const one of chosen(manifests, target)) for (const operation of operations) apply(one, operation);
    return;
  }
  for (const document of documents(text)) {
    const { kind, metadata } = document;
    for (const one of chosen(manifests, target ?? { kind, name: metadata.name })) {
      const { name } = one.metadata;
      merge(one, document);
      one.metadata.name = name;
    }
  }
}

function chosen(manifests: Manifest[], target: { kind: string; name?: string } | undefined): Manifest[] {
  const all = manifests.filter(({ kind, metadata }) => {
    return kind === target?.kind && (target.name === undefined || target.name === metadata.name);
  });
  if (all.length === 0) throw new Error(`a patch finds no ${target?.kind} ${target?.name ?? ''}`);
  return all;
}

interface Operation {
  op: string;
  path: string;
  value: unknown;
}

function apply(manifest: Manifest, { op, path, value }: Operation): void {
  const fields = path.slice(1).split('/');
  const last = fields.pop() ?? '';
  const holder = fields.reduce((inner, field) => inner[field], manifest);
  if (op !== 'replace' || !(last in holder)) throw new Error(`${op} ${path}: not known here, or not there`);
  holder[last] = value;
}

/** By what the entries of these lists are told apart; those that a patch names come first. Other lists are replaced. */
const keys: Record<string, string> = {
  ...{ containers: 'name', env: 'name', volumes: 'name', volumeMounts: 'mountPath' },
  // Of a container; those of a Service have a `port`.
  ports: 'containerPort',
};

type Fields = Record<string, unknown>;

function merge(into: Fields, from: Fields): void {
  for (const [field, value] of Object.entries(from)) {
    const there = into[field];
    if (Array.isArray(value) && Array.isArray(there)) into[field] = mergeLists(field, there, value);
    else if (isFields(value) && isFields(there)) merge(there, value);
    else into[field] = structuredClone(value);
  }
}

function mergeLists(field: string, into: Fields[], from: Fields[]): Fields[] {
  const key = field === 'ports' && from.some((entry) => 'port' in entry) ? 'port' : keys[field];
  if (key === undefined) return structuredClone(from);
  const patched = from.map((entry) => {
    const there = into.find((other) => other[key] === entry[key]) ?? {};
    merge(there, entry);
    return there;
  });
  return [...patched, ...into.filter((entry) => !patched.includes(entry))];
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function place(manifest: Manifest, namespace: string): void {
  if (manifest.kind === 'Namespace') manifest.metadata.name = namespace;
  else manifest.metadata.namespace = namespace;
}

/** Every object in it, itself first. */
function* within(value: unknown): Generator<Fields> {
  if (isFields(value)) yield value;
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) yield* within(inner);
}

function rename(
  manifests: Manifest[],
  { name, newName = name, newTag }: NonNullable<Kustomization['images']>[number],
): void {
  for (const one of within(manifests)) if (one.image === name) one.image = `${newName}:${newTag}`;
}

const overlays = join(import.meta.dirname, '..', '..', 'k8s', 'overlays');
export const overlay = (name: string) => join(overlays, name);
