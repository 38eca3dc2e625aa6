import { fileURLToPath } from 'node:url';
import { baseConfig } from '@ops/service-kit/config';
import { address, serviceAddresses } from '@ops/service-kit/service-addresses';
import { tracingSettings } from '@ops/service-kit/tracing';
import { z } from 'zod';

const secrets = z
  .string()
  .transform((value) => value.split(',').map((secret) => secret.trim()))
  .refine((list) => list.length <= 2 && list.every((secret) => secret.length >= 32), {
    error: 'at least 32 characters; two of them, separated by a comma, while it is being replaced',
  });

const { AMQP_URL, BUS_NAMESPACE, HOST, PORT, METRICS_PORT, LOG_LEVEL, INTERNAL_PRIVATE_KEY } = baseConfig.shape;

export const gatewayConfig = z
  .object({
    HOST,
    PORT,
    METRICS_PORT,
    LOG_LEVEL,
    ...tracingSettings.shape,
    AMQP_URL,
    BUS_NAMESPACE,
    /** A database role that may connect and nothing else: listening needs no rights. */
    BUS_DATABASE_URL: baseConfig.shape.DATABASE_URL.optional(),
    ...serviceAddresses.shape,
    OIDC_ISSUER: address,
    OIDC_CLIENT_ID: z.string().min(1),
    OIDC_CLIENT_SECRET: z.string().min(1),
    OIDC_AUDIENCE: z.string().min(1).default('ops-api'),
    OIDC_ROLE_CLAIM: z.string().min(1).default('roles'),
    OIDC_MAX_TOKEN_AGE_HOURS: z.coerce.number().int().min(1).max(744).default(24),
    OIDC_SCOPE: z
      .string()
      .regex(/\bopenid\b/, 'scopes, openid among them')
      .default('openid profile'),
    SESSION_SECRET: secrets,
    INTERNAL_PRIVATE_KEY: INTERNAL_PRIVATE_KEY.unwrap(),
    /** Where browsers reach the gateway; redirects, cookies and same-origin checks go by it, never by the Host header. */
    PUBLIC_URL: address,
    RATE_LIMIT_PER_MINUTE: z.coerce.number().int().min(1).default(600),
    PROXY_TIMEOUT_MS: z.coerce.number().int().min(100).default(30_000),
    /** Where the built pages lie. */
    UI_DIR: z
      .string()
      .min(1)
      .default(fileURLToPath(new URL('../../packages/ops-ui/dist', import.meta.url))),
    /** Proxies in front of us whose X-Forwarded-For is believed, for limits by address. */
    TRUSTED_PROXIES: z.coerce.number().int().min(0).max(10).default(0),
  })
  .refine((config) => config.AMQP_URL !== undefined || config.BUS_DATABASE_URL !== undefined, {
    path: ['BUS_DATABASE_URL'],
    error: 'a postgres:// address, unless AMQP_URL is given',
  })
  .refine((config) => config.OIDC_AUDIENCE !== config.OIDC_CLIENT_ID, {
    path: ['OIDC_AUDIENCE'],
    error: 'an audience other than OIDC_CLIENT_ID, or ID tokens would pass for access tokens',
  });
export type GatewayConfig = z.infer<typeof gatewayConfig>;
