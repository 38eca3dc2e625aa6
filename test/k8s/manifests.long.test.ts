import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { compilerProblems } from '@ops/test-kit/compiler';
import { customResources } from './custom-resources.ts';
import { documents, type Manifest, overlay, render } from './kustomize.ts';

const overlays = ['dev', 'production'];

const typeOf = ({ apiVersion, kind }: Manifest) => `${apiVersion} ${kind}`;
const isCustom = (manifest: Manifest) => typeOf(manifest) in customResources;

/** Where the models of Kubernetes' own kinds are, and of the Prometheus operator's. */
const modelsOf = ({ apiVersion }: Manifest) => {
  const [group = '', version] = apiVersion.split('/');
  if (group === 'monitoring.coreos.com') return `@kubernetes-models/prometheus-operator/${apiVersion}`;
  return version === undefined ? `kubernetes-models/${group}` : `kubernetes-models/${group}/${version}`;
};

test.each(overlays)('%s: every manifest fits its schema', async (name) => {
  for (const manifest of await render(overlay(name))) {
    const custom = customResources[typeOf(manifest)];
    if (custom) {
      custom.parse(manifest);
      continue;
    }
    const models = await import(modelsOf(manifest));
    new models[manifest.kind](manifest).validate();
  }
});

test('what does not fit its schema is found', async () => {
  const { Deployment } = await import('kubernetes-models/apps/v1');
  const [first] = (await render(overlay('dev'))).filter(({ kind }) => kind === 'Deployment');
  const { selector: _, ...spec } = first?.spec ?? {};
  expect(() => new Deployment({ ...first, spec } as never).validate()).toThrow(/selector/);
  const { PrometheusRule } = await import('@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1');
  const groups = [{ name: 'nothing', rules: [{ alert: 'Nothing' }] }];
  expect(() => new PrometheusRule({ spec: { groups } } as never).validate()).toThrow(/expr/);
});

/** A schema lets pass what it does not name; a type does not, so that no misspelt field is silently without effect. */
test('no manifest says anything that its kind does not know', async () => {
  const manifests = (await Promise.all(overlays.map((name) => render(overlay(name))))).flat();
  expect(await problemsOf(manifests)).toBe('');
  const misspelt = structuredClone(manifests.filter(({ kind }) => kind === 'CronJob').slice(0, 1));
  for (const { spec } of misspelt) spec.jobTemplate.spec.template.spec.containers[0].readOnlyRootFileSystem = true;
  expect(await problemsOf(misspelt)).toContain('readOnlyRootFileSystem');
});

/** What the compiler has to say of them, as the literals they are. */
const problemsOf = (manifests: readonly Manifest[]): Promise<string> =>
  compilerProblems(
    manifests
      .filter((manifest) => !isCustom(manifest))
      .map((one) => `${JSON.stringify(one)} satisfies import('${modelsOf(one)}').I${one.kind}`),
  );

/** The real kustomize, where this machine has one; components are new with its version 4. */
function realKustomize(): boolean {
  const { status, stdout } = spawnSync('kubectl', ['version', '--client'], { encoding: 'utf8' });
  return status === 0 && /Kustomize Version: v([5-9]|\d\d)\./.test(stdout);
}

const byName = (manifests: Manifest[]) =>
  Object.fromEntries(manifests.map((one) => [`${typeOf(one)} ${one.metadata.name}`, one]));
const withoutHashes = (text: string) => text.replace(/^( *name: (?:ops|nightly-refresh))-[a-z0-9]{10}$/gm, '$1');

if (realKustomize()) {
  test.each(overlays)('%s: kubectl renders the same', async (name) => {
    const { stdout } = await promisify(execFile)('kubectl', ['kustomize', overlay(name)]);
    expect(stdout).toMatch(/^ *name: ops-[a-z0-9]{10}$/m);
    expect(byName(documents(withoutHashes(stdout)))).toEqual(byName(await render(overlay(name))));
  });
} else
  console.info('kubectl with kustomize 5 is not on this machine: what the overlays render to is not compared with it');
