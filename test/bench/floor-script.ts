/**
 * What pgbench runs: the inserts of webhook-ingest for each of `batch` messages, then those of comms-service for all of them
 * in one transaction. Only the inserts: no look-ups, no locks, nothing marked as published afterwards. Ids grow with time,
 * as those of the system do.
 */
export const scriptOf = (batch: number, customers: number): string =>
  [...Array.from({ length: batch }, () => ingest), log(batch, customers)].join('\n');

/** The n-th message of this session, which counts them in `n`. */
const idOf = (n: string) =>
  `CAST(lpad(to_hex(${n}), 12, '0') || lpad(to_hex(CAST(:client_id AS integer)), 20, '0') AS uuid)`;

const own = idOf('CAST(:n AS bigint)');

const ingest = `
\\set n :n + 1
BEGIN;
INSERT INTO ingest.deliveries AS kept
  (id, provider, fingerprint, replay_key, path, content_type, body, size, outcome, reason, items, received_at, processed_at)
  VALUES (${own}, 'cloud-api', sha256(CAST(${own} AS text)::bytea), NULL, '/webhooks/messaging-app', 'application/json',
          decode(:payload, 'hex'), length(:payload) / 2, 'processed', NULL, 1, now(), now())
  ON CONFLICT ON CONSTRAINT deliveries_fingerprint DO UPDATE SET repeats = kept.repeats + 1;
INSERT INTO ingest.items (delivery_id, id, provider, account, kind, external_id, status, outcome, reason, position)
  VALUES (${own}, ${own}, 'cloud-api', 'PHONE-1', 'message', 'wamid.' || ${own}, '', 'published', NULL, 1)
  ON CONFLICT ON CONSTRAINT items_once DO NOTHING;
INSERT INTO ingest.outbox (event_id, type, queue, event)
  VALUES (${own}, 'provider.message.received', NULL, CAST(:told AS json));
COMMIT;`;

function log(batch: number, customers: number): string {
  const nth = `CAST(:n AS bigint) - ${batch} + g`;
  const id = idOf(nth);
  const customer = `'C-bench-' || (${nth}) % ${customers}`;
  const messages = `generate_series(1, ${batch}) g`;
  return `
BEGIN;
INSERT INTO comms.inbox (queue, event_id)
  SELECT :queue, ${id} FROM ${messages}
  ON CONFLICT DO NOTHING;
INSERT INTO comms.communications
  (id, customer_id, type, direction, subject, body, quoted, unread, status, provider, provider_message_id,
   occurred_at, received_at, created_at)
  SELECT ${id}, ${customer}, 'MESSAGING_APP', 'INBOUND', NULL, :text, NULL, true, 'RECEIVED', 'cloud-api', 'wamid.' || ${id},
         now(), now(), now()
  FROM ${messages}
  ON CONFLICT (id) DO NOTHING;
INSERT INTO comms.outbox (event_id, type, queue, event)
  SELECT ${id}, CASE e WHEN 1 THEN 'COMMUNICATION_RECEIVED' ELSE 'communication.changed' END, NULL,
         CAST(CASE e WHEN 1 THEN :received ELSE :changed END AS json)
  FROM ${messages}, generate_series(1, 2) e;
INSERT INTO comms.timeline (event_id, customer_id, type, occurred_at, communication_id, data)
  SELECT ${id}, ${customer}, 'COMMUNICATION_RECEIVED', now(), ${id}, CAST(:timeline AS jsonb) FROM ${messages}
  ON CONFLICT (event_id) DO NOTHING;
COMMIT;`;
}
