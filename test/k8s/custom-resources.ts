import { z } from 'zod';

/** What we say to operators, as their definitions have it: each field we use and no other, since a misspelt one would be lost. */
const quantity = z.string().regex(/^\d+(Mi|Gi)$/);
const amounts = z.strictObject({ cpu: z.string().regex(/^\d+m?$/), memory: quantity });
const resources = z.strictObject({ requests: amounts, limits: amounts });
const metadata = z.strictObject({ name: z.string(), namespace: z.string() });
const labels = z.record(z.string(), z.string());

const rabbitmqCluster = z.strictObject({
  apiVersion: z.literal('rabbitmq.com/v1beta1'),
  kind: z.literal('RabbitmqCluster'),
  metadata,
  spec: z.strictObject({
    replicas: z.int(),
    image: z.string(),
    persistence: z.strictObject({ storage: quantity }),
    resources,
    rabbitmq: z.strictObject({ additionalConfig: z.string() }),
    affinity: z.strictObject({
      podAntiAffinity: z.strictObject({
        requiredDuringSchedulingIgnoredDuringExecution: z.array(
          z.strictObject({ topologyKey: z.string(), labelSelector: z.strictObject({ matchLabels: labels }) }),
        ),
      }),
    }),
  }),
});

const postgresCluster = z.strictObject({
  apiVersion: z.literal('postgresql.cnpg.io/v1'),
  kind: z.literal('Cluster'),
  metadata,
  spec: z.strictObject({
    instances: z.int(),
    imageName: z.string(),
    postgresql: z.strictObject({
      synchronous: z.strictObject({ method: z.enum(['any', 'first']), number: z.int() }),
      parameters: z.record(z.string(), z.string()),
    }),
    bootstrap: z.strictObject({
      initdb: z.strictObject({ database: z.string(), owner: z.string(), postInitSQL: z.array(z.string()) }),
    }),
    storage: z.strictObject({ size: quantity }),
    walStorage: z.strictObject({ size: quantity }),
    resources,
    inheritedMetadata: z.strictObject({ labels }),
  }),
});

export const customResources: Record<string, z.ZodType> = {
  'rabbitmq.com/v1beta1 RabbitmqCluster': rabbitmqCluster,
  'postgresql.cnpg.io/v1 Cluster': postgresCluster,
};
