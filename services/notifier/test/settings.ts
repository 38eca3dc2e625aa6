import { createTestSigner } from '@ops/service-kit/test/tokens';
import type { TestDatabase } from './database.ts';
import type { Outside } from './outside.ts';

/** A notifier that sends SMS alone, with the other service and the provider played by the test. */
export function testSettings(database: TestDatabase, comms: Outside, twilio: Outside): Record<string, string> {
  const signer = createTestSigner('notifier');
  return {
    DATABASE_URL: database.urls.notifier,
    INTERNAL_PUBLIC_KEYS: signer.publicKeys,
    INTERNAL_PRIVATE_KEY: signer.privateKey,
    COMMS_SERVICE_URL: comms.url,
    // Asked about alerts alone.
    RENEWALS_SERVICE_URL: comms.url,
    SMS_BASE_URL: twilio.url,
    SMS_ACCOUNT_SID: 'AC1',
    SMS_AUTH_TOKEN: 'not-a-secret-anywhere',
    SMS_FROM: '+447700900001',
    PUBLIC_URL: 'https://ops.example.com',
  };
}
