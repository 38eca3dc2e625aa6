-- Stands for all up to notifier/008_late_alerts.sql 4e0bb8786ee7da09e9cdc66fdecaf8a82f1f499d08d45af504942ea16d4fe52f

COMMENT ON SCHEMA notifier IS 'The alert plan, templates, tasks, agents and delivery attempts; notifier alone reads and writes it';

-- What is to be sent, every try of it, and what the providers told of it.

CREATE TABLE deliveries (
  -- Goes to the provider with the message and comes back with its receipts.
  id uuid PRIMARY KEY,
  communication_id uuid NOT NULL,
  attempt integer NOT NULL,
  -- Messages of one customer on one channel leave in this order.
  position bigint GENERATED ALWAYS AS IDENTITY,
  customer_id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL CHECK (type IN ('MESSAGING_APP', 'EMAIL', 'SMS')),
  provider text COLLATE "C" NOT NULL,
  -- The words and the recipient: here only while they wait to be sent.
  message jsonb,
  -- The request that caused it.
  trace jsonb NOT NULL,
  status text COLLATE "C" NOT NULL DEFAULT 'QUEUED' CHECK (status IN
    ('QUEUED', 'CANCELLED', 'UNCERTAIN', 'SENT', 'FAILED', 'DELIVERED', 'READ')),
  failure jsonb,
  provider_message_id text COLLATE "C",
  -- The statuses others were told of, each once.
  told text[] NOT NULL DEFAULT '{}',
  tries integer NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL,
  next_try_at timestamptz NOT NULL,
  -- Null: of an alert that was not tried yet. Its hours begin with the first try.
  expires_at timestamptz,
  -- Whose it is until when; a worker that is late finds another's claim here, and leaves it alone.
  claim uuid,
  claimed_until timestamptz,
  -- Set before the first byte leaves and cleared with what came of it: where it stays, nobody knows whether it was sent.
  on_wire_at timestamptz,
  created_at timestamptz NOT NULL,
  -- Why this is not to be tried again, when it was on the wire while it became pointless.
  stop jsonb,
  UNIQUE (communication_id, attempt),
  CHECK (status <> 'QUEUED' OR message IS NOT NULL)
);
CREATE INDEX deliveries_due ON deliveries (provider, next_try_at, position) WHERE status = 'QUEUED';
CREATE INDEX deliveries_in_order ON deliveries (customer_id, type, position) WHERE status = 'QUEUED';
CREATE INDEX deliveries_expiring ON deliveries (expires_at) WHERE status = 'QUEUED';
CREATE INDEX deliveries_on_wire ON deliveries (claimed_until) WHERE on_wire_at IS NOT NULL;
CREATE INDEX deliveries_by_provider_id ON deliveries (provider, provider_message_id)
  WHERE provider_message_id IS NOT NULL;
-- What a retention run looks for, without reading what it leaves alone.
CREATE INDEX deliveries_by_age ON deliveries (type, created_at);

-- Only ever added to.
CREATE TABLE tries (
  id uuid PRIMARY KEY,
  delivery_id uuid NOT NULL REFERENCES deliveries ON DELETE CASCADE,
  number integer NOT NULL,
  started_at timestamptz NOT NULL,
  ended_at timestamptz NOT NULL,
  outcome text NOT NULL CHECK (outcome IN ('accepted', 'refused', 'not_taken', 'uncertain')),
  -- A code, or a sentence of ours or of the provider's.
  reason text
);
CREATE INDEX tries_of_delivery ON tries (delivery_id);

-- Every receipt once. One that comes before its message is known waits here without a delivery.
CREATE TABLE receipts (
  item_id uuid PRIMARY KEY,
  provider text COLLATE "C" NOT NULL,
  external_id text COLLATE "C" NOT NULL,
  attempt_id uuid,
  status text NOT NULL CHECK (status IN ('SENT', 'DELIVERED', 'READ', 'FAILED')),
  failure jsonb,
  occurred_at timestamptz NOT NULL,
  received_at timestamptz NOT NULL,
  delivery_id uuid REFERENCES deliveries ON DELETE CASCADE
);
CREATE INDEX receipts_waiting ON receipts (provider, external_id) WHERE delivery_id IS NULL;
CREATE INDEX receipts_of_delivery ON receipts (delivery_id) WHERE delivery_id IS NOT NULL;
CREATE INDEX receipts_parked_by_age ON receipts (received_at) WHERE delivery_id IS NULL;

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
  -- What a message that stands in for a refused one calls its renewal. One that was decided on before this was kept says "Renewal".
  service_label text NOT NULL DEFAULT 'Renewal',
  UNIQUE (renewal_id, due_date, rung, channel)
);

-- What people have to do, and who they are.

CREATE TABLE agents (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  email text,
  -- The last day of absence.
  absent_until date,
  version integer NOT NULL DEFAULT 1,
  updated_at timestamptz NOT NULL
);

CREATE TABLE tasks (
  id uuid PRIMARY KEY,
  customer_id text COLLATE "C" NOT NULL,
  renewal_id uuid,
  title text NOT NULL,
  notes text,
  priority text COLLATE "C" NOT NULL CHECK (priority IN ('NORMAL', 'HIGH', 'URGENT')),
  status text COLLATE "C" NOT NULL CHECK (status IN ('OPEN', 'DONE', 'CANCELLED')),
  due_date date,
  -- The most urgent alert it stands for, and the due date that one was about; null when a person made it.
  rung text COLLATE "C" CHECK (rung IN ('90', '60', '30', '14', '7', 'OVERDUE')),
  alerted_date date,
  assigned_agent text COLLATE "C",
  created_by text,
  closed_because text,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  closed_at timestamptz,
  -- The order of lists: open before closed, urgent first, then by date; those without one last.
  state_order smallint GENERATED ALWAYS AS (CASE status WHEN 'OPEN' THEN 0 ELSE 1 END) STORED,
  urgency smallint GENERATED ALWAYS AS (CASE priority WHEN 'URGENT' THEN 0 WHEN 'HIGH' THEN 1 ELSE 2 END) STORED,
  due_order integer GENERATED ALWAYS AS (coalesce(due_date - DATE '2000-01-01', 2147483647)) STORED,
  -- The due date it was closed for, which was so far away that its own alerts come.
  put_off_to date,
  -- Whose its renewal was when it was last looked at, and the customer's agent as last known.
  renewal_agent text COLLATE "C",
  customer_agent text COLLATE "C",
  -- Who got it by itself: it goes along when the renewal is given to another, unless a person gave it to somebody.
  given_to text COLLATE "C",
  CHECK ((status = 'OPEN') = (closed_at IS NULL)),
  CHECK ((rung IS NULL) = (alerted_date IS NULL)),
  CHECK (rung IS NULL OR renewal_id IS NOT NULL)
);
CREATE UNIQUE INDEX tasks_open_of_alert ON tasks (renewal_id) WHERE status = 'OPEN' AND rung IS NOT NULL;
CREATE INDEX tasks_most_urgent ON tasks (state_order, urgency, due_order, id);
CREATE INDEX tasks_of_agent ON tasks (assigned_agent, state_order, urgency, due_order, id);
CREATE INDEX tasks_of_customer ON tasks (customer_id, state_order, urgency, due_order, id);
CREATE INDEX tasks_of_renewal ON tasks (renewal_id, state_order, urgency, due_order, id) WHERE renewal_id IS NOT NULL;
