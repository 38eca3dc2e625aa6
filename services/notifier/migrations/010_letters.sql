-- One letter a night: what a refresh fires for one customer is told in one message by each channel.

-- Alerts of a refresh that were decided on: with how many there are, who writes the letters knows whether one is missing.
CREATE TABLE run_alerts (
  run_id uuid NOT NULL,
  renewal_id uuid NOT NULL,
  due_date date NOT NULL,
  rung text COLLATE "C" NOT NULL,
  step text COLLATE "C" NOT NULL,
  decided_at timestamptz NOT NULL,
  PRIMARY KEY (run_id, renewal_id, due_date, rung, step)
);
CREATE INDEX run_alerts_by_age ON run_alerts (decided_at);

CREATE TABLE finished_runs (
  run_id uuid PRIMARY KEY,
  -- So many it told of.
  alerts integer NOT NULL,
  heard_at timestamptz NOT NULL
);

ALTER TABLE alert_actions
  -- Of a message, what it waits to be told together with: the refresh that fired it, or the letter whose place it takes.
  -- Null: it is told by itself.
  ADD COLUMN together uuid,
  -- The letter it went into: the id of its record. Null: the record has the id of this row.
  ADD COLUMN letter_id uuid,
  -- Of its policy or permit.
  ADD COLUMN number text,
  -- What it is a part of, from the night's refresh to the customer's phone: {requestId, traceparent}.
  ADD COLUMN trace jsonb,
  -- Its letter could not be written, and is tried again then.
  ADD COLUMN written_from timestamptz;
CREATE INDEX alert_actions_to_write ON alert_actions (together, customer_id)
  WHERE together IS NOT NULL AND NOT carried_out AND channel <> 'TASK';
CREATE INDEX alert_actions_of_letter ON alert_actions (letter_id) WHERE letter_id IS NOT NULL;

-- What a message says that names several renewals; of a language that has none, those of another.
ALTER TABLE templates ADD COLUMN several_subject text, ADD COLUMN several_body text;
WITH words (locale, rung, subject, opening, closing) AS (VALUES
  ('en', '90', 'Coming due: {{services}}', 'These are coming due, and planning early makes it easy:',
   'Answer this message and we begin.'),
  ('en', '60', 'Let us begin: {{services}}', 'It is time to begin these renewals:',
   'Answer this message and we tell you what we need.'),
  ('en', '30', 'Urgent: {{services}}', 'Urgent: these have to be renewed:',
   'Please answer this message today, so that it is done in time.'),
  ('en', '14', 'Urgent: {{services}}', 'Urgent: only a short time is left to renew these:',
   'Your agent will get in touch; please answer this message now.'),
  ('en', '7', 'Last reminder: {{services}}', 'Last reminder: these have to be renewed:',
   'Please answer this message or call us at once.'),
  ('en', 'OVERDUE', 'Overdue: {{services}}', 'These have to be renewed, and not all of them in time:',
   'Please call us or answer this message at once.'),
  ('de', '90', 'Demnächst fällig: {{services}}', 'Demnächst ist fällig, und früh geplant geht es leicht:',
   'Antworten Sie auf diese Nachricht, und wir beginnen.'),
  ('de', '60', 'Beginnen wir: {{services}}', 'Es ist Zeit für diese Verlängerungen:',
   'Antworten Sie auf diese Nachricht, und wir sagen Ihnen, was wir brauchen.'),
  ('de', '30', 'Dringend: {{services}}', 'Dringend zu verlängern:',
   'Bitte antworten Sie noch heute auf diese Nachricht, damit es rechtzeitig gelingt.'),
  ('de', '14', 'Dringend: {{services}}', 'Dringend zu verlängern, es bleibt nur noch kurze Zeit:',
   'Wir melden uns bei Ihnen; bitte antworten Sie jetzt auf diese Nachricht.'),
  ('de', '7', 'Letzte Erinnerung: {{services}}', 'Letzte Erinnerung, zu verlängern ist:',
   'Bitte antworten Sie sofort auf diese Nachricht oder rufen Sie uns an.'),
  ('de', 'OVERDUE', 'Überfällig: {{services}}', 'Zu verlängern, und nicht alles davon rechtzeitig:',
   'Bitte rufen Sie uns sofort an oder antworten Sie auf diese Nachricht.')
), lines (locale, line, rest, dear, hello, regards) AS (VALUES
  ('en',
   E'- {{service}}{{#number}} {{number}}{{/number}}: {{due_date}} ({{#overdue}}days past{{/overdue}}{{^overdue}}days left{{/overdue}}: {{days}})\n',
   E'{{#more}}and {{more}} more\n{{/more}}', E'Dear {{name}},\n\n', E'Hello {{name}}. ', E'\n\nKind regards'),
  ('de',
   E'- {{service}}{{#number}} {{number}}{{/number}}: {{due_date}} ({{#overdue}}Tage überfällig{{/overdue}}{{^overdue}}verbleibende Tage{{/overdue}}: {{days}})\n',
   E'{{#more}}und {{more}} weitere\n{{/more}}', E'Guten Tag {{name}},\n\n', E'Guten Tag {{name}}. ', E'\n\nFreundliche Grüsse')
)
UPDATE templates t
SET several_subject = CASE WHEN t.channel = 'EMAIL' THEN w.subject END,
    several_body = CASE WHEN t.channel = 'EMAIL' THEN l.dear ELSE l.hello END
      || w.opening || E'\n' || '{{#renewals}}' || l.line || '{{/renewals}}' || l.rest || w.closing
      || CASE WHEN t.channel = 'EMAIL' THEN l.regards ELSE '' END
FROM words w JOIN lines l USING (locale)
WHERE t.locale = w.locale AND t.rung = w.rung;
