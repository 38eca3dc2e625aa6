import type { Manifest } from './kustomize.ts';

export interface Container {
  name: string;
  image: string;
  command?: string[];
  env?: { name: string; value?: string }[];
  envFrom?: { configMapRef: { name: string } }[];
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean }[];
  // biome-ignore lint/suspicious/noExplicitAny: parsed YAML, which manifests.test.ts checks
  [field: string]: any;
}

/** What a manifest starts: one pod of it. */
export interface Pod {
  name: string;
  kind: string;
  labels: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: parsed YAML, which manifests.test.ts checks
  spec: any;
  containers: Container[];
}

export function podsOf(manifests: readonly Manifest[]): Pod[] {
  return manifests.flatMap(({ kind, metadata, spec }) => {
    const template = kind === 'CronJob' ? spec.jobTemplate.spec.template : spec?.template;
    if (!template?.spec) return [];
    const containers: Container[] = [...(template.spec.initContainers ?? []), ...template.spec.containers];
    return { name: metadata.name, kind, labels: template.metadata.labels, spec: template.spec, containers };
  });
}
