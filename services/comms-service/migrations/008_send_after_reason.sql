-- Why an automated message waits until `send_after`; nothing is said of those of before.
ALTER TABLE communications ADD COLUMN send_after_reason jsonb;
