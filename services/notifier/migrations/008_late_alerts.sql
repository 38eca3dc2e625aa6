-- What a message that stands in for a refused one calls its renewal. One that was decided on before this says "Renewal".
ALTER TABLE alert_actions ADD COLUMN service_label text NOT NULL DEFAULT 'Renewal';

-- Who looks for the attempts of a message looks for all of them, by UNIQUE (communication_id, attempt).
DROP INDEX deliveries_of_alerts;
