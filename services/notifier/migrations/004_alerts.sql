-- What each alert does, in which words, and what was decided about each one.

-- One row.
CREATE TABLE alert_plan (
  id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  steps jsonb NOT NULL,
  fall_through jsonb NOT NULL,
  quiet_hours jsonb,
  version integer NOT NULL DEFAULT 1,
  updated_at timestamptz NOT NULL DEFAULT now(),
  updated_by text
);
INSERT INTO alert_plan (steps, fall_through, quiet_hours) VALUES (
  '{"90": {"channels": ["MESSAGING_APP", "EMAIL"], "task": null},
    "60": {"channels": ["MESSAGING_APP", "EMAIL"], "task": null},
    "30": {"channels": ["MESSAGING_APP", "EMAIL"], "task": null},
    "14": {"channels": ["MESSAGING_APP"], "task": "HIGH"},
    "7": {"channels": ["MESSAGING_APP"], "task": "URGENT"},
    "OVERDUE": {"channels": ["MESSAGING_APP", "EMAIL"], "task": "URGENT"}}',
  '["MESSAGING_APP", "EMAIL", "SMS"]',
  '{"from": "20:00", "until": "08:00"}'
);

CREATE TABLE templates (
  rung text COLLATE "C" NOT NULL CHECK (rung IN ('90', '60', '30', '14', '7', 'OVERDUE')),
  channel text COLLATE "C" NOT NULL CHECK (channel IN ('MESSAGING_APP', 'EMAIL', 'SMS')),
  locale text COLLATE "C" NOT NULL,
  subject text,
  body text NOT NULL,
  version integer NOT NULL DEFAULT 1,
  updated_at timestamptz NOT NULL DEFAULT now(),
  updated_by text,
  PRIMARY KEY (rung, channel, locale)
);

-- The same words on the messaging app and by SMS; an e-mail has a subject, a greeting and an end.
WITH words (locale, rung, subject, body) AS (VALUES
  ('en', '90', '{{service}}: due on {{due_date}}',
   'Your {{service}} is due on {{due_date}}. There is time ({{days}} days), and planning early makes it easy: answer this message and we begin.'),
  ('en', '60', '{{service}}: let us begin',
   'Your {{service}} is due on {{due_date}} (days left: {{days}}). It is time to begin the renewal: answer this message and we tell you what we need.'),
  ('en', '30', 'Urgent: {{service}} due on {{due_date}}',
   'Urgent: your {{service}} is due on {{due_date}} (days left: {{days}}). Please answer this message today, so that it is renewed in time.'),
  ('en', '14', 'Urgent: {{service}} due on {{due_date}}',
   'Urgent: only a short time is left to renew your {{service}}, due on {{due_date}} (days left: {{days}}). Your agent will get in touch; please answer this message now.'),
  ('en', '7', 'Last reminder: {{service}} due on {{due_date}}',
   'Last reminder: your {{service}} is due on {{due_date}} (days left: {{days}}). Please answer this message or call us at once.'),
  ('en', 'OVERDUE', 'Overdue: {{service}} was due on {{due_date}}',
   'Your {{service}} was due on {{due_date}} and is overdue (days past: {{days}}). Please call us or answer this message at once.'),
  ('de', '90', '{{service}}: fällig am {{due_date}}',
   '{{service}}: fällig am {{due_date}}. Es ist noch Zeit ({{days}} Tage), und früh geplant geht es leicht: Antworten Sie auf diese Nachricht, und wir beginnen.'),
  ('de', '60', '{{service}}: beginnen wir',
   '{{service}}: fällig am {{due_date}} (verbleibende Tage: {{days}}). Es ist Zeit für die Verlängerung: Antworten Sie auf diese Nachricht, und wir sagen Ihnen, was wir brauchen.'),
  ('de', '30', 'Dringend: {{service}}, fällig am {{due_date}}',
   'Dringend: {{service}}, fällig am {{due_date}} (verbleibende Tage: {{days}}). Bitte antworten Sie noch heute auf diese Nachricht, damit die Verlängerung rechtzeitig gelingt.'),
  ('de', '14', 'Dringend: {{service}}, fällig am {{due_date}}',
   'Dringend: {{service}}, fällig am {{due_date}} (verbleibende Tage: {{days}}). Wir melden uns bei Ihnen; bitte antworten Sie jetzt auf diese Nachricht.'),
  ('de', '7', 'Letzte Erinnerung: {{service}}, fällig am {{due_date}}',
   'Letzte Erinnerung: {{service}}, fällig am {{due_date}} (verbleibende Tage: {{days}}). Bitte antworten Sie sofort auf diese Nachricht oder rufen Sie uns an.'),
  ('de', 'OVERDUE', 'Überfällig: {{service}}, fällig am {{due_date}}',
   '{{service}}: war am {{due_date}} fällig und ist überfällig (Tage: {{days}}). Bitte rufen Sie uns sofort an oder antworten Sie auf diese Nachricht.')
), letters (locale, opening, closing) AS (VALUES
  ('en', E'Dear {{name}},\n\n', E'\n\nKind regards'),
  ('de', E'Guten Tag {{name}},\n\n', E'\n\nFreundliche Grüsse')
), greetings (locale, opening) AS (VALUES
  ('en', 'Hello {{name}}. '),
  ('de', 'Guten Tag {{name}}. ')
)
INSERT INTO templates (rung, channel, locale, subject, body)
SELECT rung, 'EMAIL', locale, subject, opening || body || closing FROM words JOIN letters USING (locale)
UNION ALL
SELECT rung, channel, locale, NULL, opening || body FROM words JOIN greetings USING (locale),
  (VALUES ('MESSAGING_APP'), ('SMS')) AS short (channel);

-- Renewals as their service last told of them. Whoever plans, carries out or stops something about one locks its row.
CREATE TABLE followed_renewals (
  renewal_id uuid PRIMARY KEY,
  customer_id text COLLATE "C" NOT NULL,
  due_date date NOT NULL,
  status text COLLATE "C" NOT NULL,
  assigned_agent text COLLATE "C",
  reminders text COLLATE "C" NOT NULL CHECK (reminders IN ('on', 'off')),
  version integer NOT NULL
);

-- What an alert does on each channel. Decided once, for all channels together, by whichever queue comes first.
CREATE TABLE alert_actions (
  -- Of a message: the id its record will have.
  id uuid PRIMARY KEY,
  renewal_id uuid NOT NULL REFERENCES followed_renewals,
  due_date date NOT NULL,
  rung text COLLATE "C" NOT NULL,
  channel text COLLATE "C" NOT NULL CHECK (channel IN ('MESSAGING_APP', 'EMAIL', 'SMS', 'TASK')),
  customer_id text COLLATE "C" NOT NULL,
  outcome text COLLATE "C" NOT NULL CHECK (outcome IN ('planned', 'not_sent', 'cancelled')),
  instead_of text COLLATE "C",
  reason jsonb,
  -- Of a task.
  priority text COLLATE "C",
  -- Its own queue has done it, and told others of it.
  carried_out boolean NOT NULL DEFAULT false,
  send_after timestamptz,
  task_id uuid,
  decided_at timestamptz NOT NULL,
  UNIQUE (renewal_id, due_date, rung, channel)
);

-- Why this is not to be tried again, when it was on the wire while it became pointless.
ALTER TABLE deliveries ADD COLUMN stop jsonb;
CREATE INDEX deliveries_of_alerts ON deliveries (communication_id) WHERE status = 'QUEUED';
