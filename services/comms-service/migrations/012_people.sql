-- The next number of a customer who gets one here is found without looking at all of them.
CREATE INDEX customers_by_number ON customers ((substring(id FROM 3)::integer)) WHERE id ~ '^C-[0-9]{1,9}$';

-- Who said what is so now: {field: {source, at}}. What was said before this, nobody knows of.
ALTER TABLE customers ADD COLUMN sources jsonb NOT NULL DEFAULT '{}';
ALTER TABLE identifiers ADD COLUMN given_by text CHECK (given_by IN ('staff', 'automation', 'import'));

-- Nobody here is meant: out of the list of what waits, for as long as it is nobody's. One whose sender nobody knows stands for
-- all that sender writes. The version before links it all the same, and leaves these as they are.
ALTER TABLE inbound_messages
  ADD COLUMN dismissed_at timestamptz,
  ADD COLUMN dismissed_by text;
DROP INDEX inbound_messages_waiting;
CREATE INDEX inbound_messages_waiting ON inbound_messages (occurred_at DESC, communication_id DESC)
  WHERE linked_at IS NULL AND dismissed_at IS NULL;
CREATE INDEX inbound_messages_dismissed ON inbound_messages (occurred_at DESC, communication_id DESC)
  WHERE dismissed_at IS NOT NULL AND linked_at IS NULL;
ALTER TABLE communication_history
  DROP CONSTRAINT communication_history_change_check,
  ADD CONSTRAINT communication_history_change_check CHECK (change IN
    ('moved', 'struck', 'linked', 'unlinked', 'dismissed', 'restored', 'retried', 'resolved', 'delivery', 'redacted'));
