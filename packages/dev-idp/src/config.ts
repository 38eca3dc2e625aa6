import { z } from 'zod';

export const config = z.object({
  PORT: z.coerce.number().int().min(0).max(65535).default(0),
  HOST: z.string().min(1).default('127.0.0.1'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  /** What tokens name as their issuer, and where browsers reach this provider. */
  ISSUER: z.url(),
  /** Signing keys are kept here. */
  DATA_DIR: z.string().min(1),
  GATEWAY_URL: z.url(),
  AUDIENCE: z.string().min(1).default('ops-api'),
  CLIENT_ID: z.string().min(1),
  CLIENT_SECRET: z.string().min(16),
  TOKEN_CLIENT_ID: z.string().min(1),
  TOKEN_CLIENT_SECRET: z.string().min(16),
  /** A program with the role `scheduler`, which asks in its own name; there is none unless it is given. */
  SCHEDULER_CLIENT_ID: z.string().min(1).optional(),
  SCHEDULER_CLIENT_SECRET: z.string().min(16).optional(),
});
export type Config = z.infer<typeof config>;
