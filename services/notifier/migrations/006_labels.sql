-- What the service type is called in other languages, as the alert said it; none of what was decided before.
ALTER TABLE alert_actions ADD COLUMN service_labels jsonb NOT NULL DEFAULT '{}';
