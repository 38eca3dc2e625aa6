-- A delivery is what a provider posts; what leaves by one is a send.
-- In the order in which the version before locks them.
LOCK TABLE receipts, deliveries, tries IN ACCESS EXCLUSIVE MODE;
ALTER TABLE deliveries RENAME TO sends;
ALTER TABLE tries RENAME TO send_tries;
ALTER TABLE send_tries RENAME COLUMN delivery_id TO send_id;
ALTER TABLE receipts RENAME TO send_receipts;
ALTER TABLE send_receipts RENAME COLUMN delivery_id TO send_id;

-- What the version before reads and writes while it runs beside this one. A later version drops them.
CREATE VIEW deliveries AS SELECT * FROM sends;
CREATE VIEW tries AS
  SELECT id, send_id AS delivery_id, number, started_at, ended_at, outcome, reason FROM send_tries;
CREATE VIEW receipts AS
  SELECT item_id, provider, external_id, attempt_id, status, failure, occurred_at, received_at, send_id AS delivery_id
  FROM send_receipts;

ALTER TABLE sends RENAME CONSTRAINT deliveries_pkey TO sends_pkey;
ALTER TABLE sends RENAME CONSTRAINT deliveries_communication_id_attempt_key TO sends_communication_id_attempt_key;
ALTER TABLE sends RENAME CONSTRAINT deliveries_status_check TO sends_status_check;
ALTER TABLE sends RENAME CONSTRAINT deliveries_type_check TO sends_type_check;
ALTER TABLE sends RENAME CONSTRAINT deliveries_check TO sends_check;
ALTER TABLE send_tries RENAME CONSTRAINT tries_pkey TO send_tries_pkey;
ALTER TABLE send_tries RENAME CONSTRAINT tries_outcome_check TO send_tries_outcome_check;
ALTER TABLE send_tries RENAME CONSTRAINT tries_delivery_id_fkey TO send_tries_send_id_fkey;
ALTER TABLE send_receipts RENAME CONSTRAINT receipts_pkey TO send_receipts_pkey;
ALTER TABLE send_receipts RENAME CONSTRAINT receipts_status_check TO send_receipts_status_check;
ALTER TABLE send_receipts RENAME CONSTRAINT receipts_delivery_id_fkey TO send_receipts_send_id_fkey;
ALTER INDEX deliveries_due RENAME TO sends_due;
ALTER INDEX deliveries_in_order RENAME TO sends_in_order;
ALTER INDEX deliveries_expiring RENAME TO sends_expiring;
ALTER INDEX deliveries_on_wire RENAME TO sends_on_wire;
ALTER INDEX deliveries_by_provider_id RENAME TO sends_by_provider_id;
ALTER INDEX deliveries_by_age RENAME TO sends_by_age;
ALTER INDEX tries_of_delivery RENAME TO send_tries_of_send;
ALTER INDEX receipts_waiting RENAME TO send_receipts_waiting;
ALTER INDEX receipts_of_delivery RENAME TO send_receipts_of_send;
ALTER INDEX receipts_parked_by_age RENAME TO send_receipts_parked_by_age;
ALTER SEQUENCE deliveries_position_seq RENAME TO sends_position_seq;
