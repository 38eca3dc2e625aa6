-- What holds a renewal, as its service last told: while that lasts, its customer is not written to by machine.
ALTER TABLE followed_renewals ADD COLUMN hold jsonb;
-- Of these it is known without being told anew.
UPDATE followed_renewals SET hold = '{"because": "started", "until": null}' WHERE status = 'IN_PROGRESS';

-- A rung may have several messages: 0 is the alert itself.
ALTER TABLE alert_actions ADD COLUMN step text COLLATE "C" NOT NULL DEFAULT '0';
ALTER TABLE alert_actions DROP CONSTRAINT alert_actions_renewal_id_due_date_rung_channel_key;
ALTER TABLE alert_actions ADD CONSTRAINT alert_actions_one_a_channel UNIQUE (renewal_id, due_date, rung, step, channel);
