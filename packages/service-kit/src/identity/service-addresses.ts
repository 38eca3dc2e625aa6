import { z } from 'zod';

/** Of somebody who is asked over HTTP. */
export const address = z.url({ protocol: /^https?$/, error: 'an http:// or https:// address' });

/** Where the other services answer, for what they are asked directly. */
export const serviceAddresses = z.object({
  COMMS_SERVICE_URL: address,
  RENEWALS_SERVICE_URL: address,
  WEBHOOK_INGEST_URL: address,
  NOTIFIER_URL: address,
});
