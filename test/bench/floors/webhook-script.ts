/**
 * What pgbench runs for a message: the inserts of webhook-ingest in one transaction, then those of comms-service in another.
 * Only the inserts: no look-ups, no locks, nothing marked as published afterwards. What triggers of ours write, they write
 * here too. Ids grow with time, as those of the system do; the n-th message of a session, which counts them in `n`.
 */
export function webhookScript(customers: number): string {
  const customer = `'C-bench-' || CAST(:n AS bigint) % ${customers}`;
  return `
\\set n :n + 1
BEGIN;
INSERT INTO ingest.deliveries AS kept
  (id, provider, fingerprint, replay_key, path, content_type, body, size, outcome, reason, items, received_at, processed_at)
  VALUES (${id}, 'cloud-api', sha256(CAST(${id} AS text)::bytea), NULL, '/webhooks/messaging-app', 'application/json',
          decode(:payload, 'hex'), length(:payload) / 2, 'processed', NULL, 1, now(), now())
  ON CONFLICT ON CONSTRAINT deliveries_fingerprint DO UPDATE SET repeats = kept.repeats + 1;
INSERT INTO ingest.items (delivery_id, id, provider, account, kind, external_id, status, outcome, reason, position)
  VALUES (${id}, ${id}, 'cloud-api', 'PHONE-1', 'message', 'wamid.' || ${id}, '', 'published', NULL, 1)
  ON CONFLICT ON CONSTRAINT items_once DO NOTHING;
INSERT INTO ingest.outbox (event_id, type, queue, event)
  VALUES (${id}, 'provider.message.received', NULL, CAST(:told AS json));
COMMIT;
BEGIN;
INSERT INTO comms.inbox (queue, event_id) VALUES (:queue, ${id}) ON CONFLICT DO NOTHING;
INSERT INTO comms.communications
  (id, customer_id, type, direction, subject, body, quoted, unread, status, provider, provider_message_id,
   occurred_at, received_at, created_at)
  VALUES (${id}, ${customer}, 'MESSAGING_APP', 'INBOUND', NULL, :text, NULL, true, 'RECEIVED', 'cloud-api', 'wamid.' || ${id},
          now(), now(), now())
  ON CONFLICT (id) DO NOTHING;
INSERT INTO comms.outbox (event_id, type, queue, event)
  VALUES (${id}, 'COMMUNICATION_RECEIVED', NULL, CAST(:received AS json)),
         (${id}, 'communication.changed', NULL, CAST(:changed AS json));
INSERT INTO comms.timeline (event_id, customer_id, type, occurred_at, communication_id, data)
  VALUES (${id}, ${customer}, 'COMMUNICATION_RECEIVED', now(), ${id}, CAST(:timeline AS jsonb))
  ON CONFLICT (event_id) DO NOTHING;
COMMIT;`;
}

const id = `CAST(lpad(to_hex(CAST(:n AS bigint)), 12, '0') || lpad(to_hex(CAST(:client_id AS integer)), 20, '0') AS uuid)`;
