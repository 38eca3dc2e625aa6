import { fileURLToPath } from 'node:url';
import { baseConfig } from '@ops/service-kit/config';
import { address, serviceAddresses } from '@ops/service-kit/service-addresses';
import { tlsSettings } from '@ops/service-kit/tls-settings';
import { tracingSettings } from '@ops/service-kit/tracing';
import { z } from 'zod';

const secrets = z
  .string()
  .transform((value) => value.split(',').map((secret) => secret.trim()))
  .refine((list) => list.length <= 2 && list.every((secret) => secret.length >= 32), {
    error: 'at least 32 characters; two of them, separated by a comma, while it is being replaced',
  });

const { DATABASE_URL, PREPARED_STATEMENTS, AMQP_URL, BUS_NAMESPACE, HOST, PORT, METRICS_PORT, LOG_LEVEL } =
  baseConfig.shape;
const { DRAIN_SECONDS, INTERNAL_PRIVATE_KEY } = baseConfig.shape;

export const gatewayConfig = z
  .object({
    HOST,
    PORT,
    METRICS_PORT,
    DRAIN_SECONDS,
    LOG_LEVEL,
    ...tracingSettings.shape,
    ...tlsSettings.shape,
    DATABASE_URL,
    PREPARED_STATEMENTS,
    AMQP_URL,
    BUS_NAMESPACE,
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
    /** After it a person shows again who they are, whatever the identity provider would let pass. */
    SESSION_HOURS: z.coerce.number().int().min(1).max(168).default(12),
    /** Without a sign of the person, it ends. */
    SESSION_IDLE_MINUTES: z.coerce.number().int().min(5).max(1_440).default(120),
    /** Within which of a sign-in a browser may do what cannot be taken back; 0: at any time. */
    RECENT_SIGN_IN_MINUTES: z.coerce.number().int().min(0).max(720).default(30),
    INTERNAL_PRIVATE_KEY: INTERNAL_PRIVATE_KEY.unwrap(),
    /** Where browsers reach the gateway; redirects, cookies and same-origin checks go by it, never by the Host header. */
    PUBLIC_URL: address,
    RATE_LIMIT_PER_MINUTE: z.coerce.number().int().min(1).default(600),
    RATE_LIMIT_AUTOMATION_PER_MINUTE: z.coerce.number().int().min(1).default(6_000),
    /** Who may read the reference of the API and its documents. */
    DOCS_FOR: z.enum(['everyone', 'signed_in']).default('everyone'),
    /** Where the line of each request goes: a file a day, apart from the log. Without it, the log. */
    ACCESS_LOG_DIR: z.string().min(1).optional(),
    ACCESS_LOG_DAYS: z.coerce.number().int().min(1).max(3_660).default(90),
    PROXY_TIMEOUT_MS: z.coerce.number().int().min(100).default(30_000),
    /** Where the built pages lie. */
    UI_DIR: z
      .string()
      .min(1)
      .default(fileURLToPath(new URL('../../packages/ops-ui/dist', import.meta.url))),
    /** Proxies in front of us whose X-Forwarded-For is believed, for limits by address. */
    TRUSTED_PROXIES: z.coerce.number().int().min(0).max(10).default(0),
  })
  .refine((config) => config.OIDC_AUDIENCE !== config.OIDC_CLIENT_ID, {
    path: ['OIDC_AUDIENCE'],
    error: 'an audience other than OIDC_CLIENT_ID, or ID tokens would pass for access tokens',
  });
export type GatewayConfig = z.infer<typeof gatewayConfig>;
