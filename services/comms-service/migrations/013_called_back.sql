-- The attempt that notifier was last told may leave: it cannot be called back, or changed, any more. Null: none was.
ALTER TABLE communications ADD COLUMN leaving integer;

-- Of a send that failed: who settled it in another way, when, and how. It stays FAILED and needs nobody any more.
ALTER TABLE communications ADD COLUMN settled jsonb;
CREATE INDEX communications_failed_open ON communications (occurred_at DESC, id DESC)
  WHERE status IN ('FAILED', 'UNCERTAIN') AND settled IS NULL;
DROP INDEX communications_failed;

-- Sent again it may fail again, whichever version sends it.
CREATE FUNCTION unsettle() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.settled := NULL;
  RETURN NEW;
END $$;
CREATE TRIGGER communications_unsettle BEFORE UPDATE OF attempt ON communications
  FOR EACH ROW WHEN (NEW.attempt IS DISTINCT FROM OLD.attempt AND OLD.settled IS NOT NULL) EXECUTE FUNCTION unsettle();

ALTER TABLE communication_history
  DROP CONSTRAINT communication_history_change_check,
  ADD CONSTRAINT communication_history_change_check CHECK (change IN
    ('moved', 'struck', 'linked', 'unlinked', 'dismissed', 'restored', 'retried', 'resolved', 'delivery', 'redacted', 'changed',
     'called_back', 'settled'));
