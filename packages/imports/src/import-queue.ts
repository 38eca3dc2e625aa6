/**
 * A message is one batch of one import, so imports take turns. A person waits for the outcome, so a
 * service that is away is asked again every half minute at least.
 */
export const importQueue = {
  batch: 1,
  prefetch: 1,
  retry: { delaysMs: [1_000, 5_000, 30_000], maxAttempts: 20 },
  // A file that kills who reads it must not do so for hours.
  deliveryLimit: 3,
};
