-- Why a message waits until `send_after`; nothing is said of those of before.
ALTER TABLE alert_outcomes ADD COLUMN send_after_reason jsonb;
