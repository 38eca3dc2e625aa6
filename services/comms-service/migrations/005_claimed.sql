-- When its sender says it was written, where that cannot be true: then `occurred_at` is when it came.
ALTER TABLE communications ADD COLUMN claimed_at timestamptz;

-- Kept from the latest of these on. The times of before may be a sender's own.
DROP INDEX communications_to_redact;
CREATE INDEX communications_to_redact ON communications (type, greatest(occurred_at, received_at, created_at))
  WHERE redacted_at IS NULL;
