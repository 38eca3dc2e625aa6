import type { Running } from '@ops/service-kit/lifecycle';
import { type ServiceParts, startService } from '@ops/service-kit/service';
import { v7 as uuidv7 } from 'uuid';
import type { Config } from './config.ts';
import { mountDeliveryRoutes } from './deliveries/delivery-routes.ts';
import type { Deps } from './deliveries/delivery-service.ts';
import { createRefusals } from './deliveries/refusal-service.ts';
import { mountWebhookRoutes } from './deliveries/webhook-routes.ts';
import { ingestErasure } from './erasure-places.ts';
import { ingestKinds } from './export-places.ts';
import { figures } from './figures.ts';
import { migrations } from './migrations.ts';
import { createCloudApi } from './providers/cloud-api/cloud-api-provider.ts';
import { createMailgun } from './providers/email/mailgun-provider.ts';
import { createMime } from './providers/email/mime-provider.ts';
import { createPostmark } from './providers/email/postmark-provider.ts';
import { createSendgrid } from './providers/email/sendgrid-provider.ts';
import type { Provider } from './providers/provider.ts';
import { createTwilio } from './providers/twilio/twilio-provider.ts';
import { ingestPlaces } from './retention-places.ts';
import { topology } from './topology.ts';

export const compose = (config: Config): Promise<Running> =>
  startService({
    topology,
    config,
    migrations,
    figures,
    work(parts) {
      const deps = depsOf(parts, config);
      mountWebhookRoutes(parts.http, parts.db, deps);
      mountDeliveryRoutes(parts.http, deps);
      return {};
    },
    erasurePlaces: ingestErasure,
    exportedKinds: ingestKinds,
    retentionPlaces: () => ingestPlaces({ now: () => new Date() }),
  });

const depsOf = ({ outbox, logger }: ServiceParts, config: Config): Deps => ({
  outbox,
  logger,
  refusals: createRefusals(logger),
  providers: createProviders(config),
  now: () => new Date(),
  newId: uuidv7,
});

/** A provider that is not configured is there all the same, and refuses everything. */
const createProviders = (config: Config): Provider[] => [
  createCloudApi({ appSecrets: config.MESSAGING_APP_APP_SECRET, verifyTokens: config.MESSAGING_APP_VERIFY_TOKEN }),
  createTwilio({ authTokens: config.SMS_AUTH_TOKEN, publicUrl: config.PUBLIC_URL }),
  createPostmark({ credentials: config.EMAIL_POSTMARK_BASIC_AUTH, newId: uuidv7 }),
  createMailgun({
    signingKeys: config.EMAIL_MAILGUN_SIGNING_KEY,
    toleranceSeconds: config.EMAIL_MAILGUN_TOLERANCE_SECONDS,
    newId: uuidv7,
  }),
  createSendgrid({ credentials: config.EMAIL_SENDGRID_BASIC_AUTH, newId: uuidv7 }),
  createMime({
    credentials: config.EMAIL_MIME_BASIC_AUTH,
    authservId: config.EMAIL_AUTHSERV_ID,
    newId: uuidv7,
  }),
];
