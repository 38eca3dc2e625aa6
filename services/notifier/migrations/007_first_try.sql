-- Null: of an alert that was not tried yet. Its hours begin with the first try.
ALTER TABLE deliveries ALTER COLUMN expires_at DROP NOT NULL;
UPDATE deliveries d SET expires_at = NULL
FROM alert_actions a
WHERE a.id = d.communication_id AND d.status = 'QUEUED' AND d.tries = 0;
