import { z } from 'zod';

/** As the local identity provider is told. */
export const tokenConfig = z.object({
  /** Where it is reached from here; tokens name another address if browsers reach it by another. */
  DEV_IDP_URL: z.url(),
  TOKEN_CLIENT_ID: z.string().min(1),
  TOKEN_CLIENT_SECRET: z.string().min(1),
});

export const seedConfig = tokenConfig.extend({
  GATEWAY_URL: z.url(),
  /** Given: its phones and mailboxes get the demo customers' names. */
  SIMULATOR_URL: z.url().optional(),
  /** Keeps the mark of a seeding that was interrupted. */
  DATA_DIR: z.string().min(1),
});
