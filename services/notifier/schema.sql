-- The schema `notifier` as its migrations leave it, beside what every service has (packages/service-kit/schema.sql).

CREATE OR REPLACE FUNCTION belong_to_customer()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  written text := coalesce(NEW.written_under, NEW.customer_id);
BEGIN
  PERFORM pg_advisory_xact_lock_shared(merges_lock());
  NEW.customer_id := written;
  -- Of nearly all ids nothing was decided, and many rows come at once.
  IF EXISTS (SELECT FROM customer_aliases a WHERE a.customer_id = written) THEN
    NEW.customer_id := leads_to(written);
    IF NEW.customer_id <> written THEN NEW.written_under := written; END IF;
  END IF;
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION belong_to_renewal()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  NEW.customer_id := coalesce(
    (SELECT f.customer_id FROM followed_renewals f WHERE f.renewal_id = NEW.renewal_id), NEW.customer_id);
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION leads_to(customer text)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
BEGIN ATOMIC
 WITH RECURSIVE line(id, path) AS (
          SELECT (leads_to.customer COLLATE "C") AS customer,
             ARRAY[(leads_to.customer COLLATE "C")] AS "array"
         UNION ALL
          SELECT a.merged_into,
             (l.path || a.merged_into)
            FROM (line l
              JOIN customer_aliases a ON ((a.customer_id = l.id)))
           WHERE (a.merged_into <> ALL (l.path))
         )
  SELECT line.id
    FROM line
   ORDER BY (cardinality(line.path)) DESC
  LIMIT 1;
END;

CREATE OR REPLACE FUNCTION merges_lock()
 RETURNS bigint
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN hashtextextended((("current_schema"())::text || ' merges of customers'::text), (0)::bigint);

CREATE OR REPLACE FUNCTION take_actions_along()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE alert_actions SET customer_id = NEW.customer_id
  WHERE renewal_id = NEW.renewal_id AND customer_id <> NEW.customer_id;
  RETURN NULL;
END $function$;

CREATE TABLE agents (
  id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  email text,
  absent_until date,
  version integer NOT NULL DEFAULT 1,
  updated_at timestamp with time zone NOT NULL,
  deputy text COLLATE "C",
  told integer NOT NULL DEFAULT 0,
  CONSTRAINT agents_pkey PRIMARY KEY (id)
);

CREATE TABLE alert_actions (
  id uuid NOT NULL,
  renewal_id uuid NOT NULL,
  due_date date NOT NULL,
  rung text COLLATE "C" NOT NULL,
  channel text COLLATE "C" NOT NULL,
  customer_id text COLLATE "C" NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  instead_of text COLLATE "C",
  reason jsonb,
  priority text COLLATE "C",
  carried_out boolean NOT NULL DEFAULT false,
  send_after timestamp with time zone,
  task_id uuid,
  decided_at timestamp with time zone NOT NULL,
  service_label text NOT NULL DEFAULT 'Renewal'::text,
  heard jsonb,
  given_up_at timestamp with time zone,
  look_again_at timestamp with time zone,
  step text COLLATE "C" NOT NULL DEFAULT '0'::text,
  service_labels jsonb NOT NULL DEFAULT '{}'::jsonb,
  send_after_reason jsonb,
  does jsonb,
  together uuid,
  letter_id uuid,
  number text,
  trace jsonb,
  written_from timestamp with time zone,
  CONSTRAINT alert_actions_channel_check CHECK ((channel = ANY (ARRAY['MESSAGING_APP'::text, 'EMAIL'::text, 'SMS'::text, 'TASK'::text]))),
  CONSTRAINT alert_actions_outcome_check CHECK ((outcome = ANY (ARRAY['planned'::text, 'not_sent'::text, 'cancelled'::text]))),
  CONSTRAINT alert_actions_renewal_id_fkey FOREIGN KEY (renewal_id) REFERENCES followed_renewals(renewal_id),
  CONSTRAINT alert_actions_pkey PRIMARY KEY (id),
  CONSTRAINT alert_actions_one_a_channel UNIQUE (renewal_id, due_date, rung, step, channel)
);
CREATE INDEX alert_actions_of_letter ON alert_actions (letter_id) WHERE (letter_id IS NOT NULL);
CREATE INDEX alert_actions_to_look_at ON alert_actions (look_again_at) WHERE (look_again_at IS NOT NULL);
CREATE INDEX alert_actions_to_write ON alert_actions (together, customer_id) WHERE ((together IS NOT NULL) AND (NOT carried_out) AND (channel <> 'TASK'::text));
CREATE TRIGGER alert_actions_belong_to_renewal BEFORE INSERT ON alert_actions FOR EACH ROW EXECUTE FUNCTION belong_to_renewal();

CREATE TABLE alert_plan (
  id smallint NOT NULL DEFAULT 1,
  steps jsonb NOT NULL,
  fall_through jsonb NOT NULL,
  quiet_hours jsonb,
  version integer NOT NULL DEFAULT 1,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_by text,
  CONSTRAINT alert_plan_id_check CHECK ((id = 1)),
  CONSTRAINT alert_plan_pkey PRIMARY KEY (id)
);

CREATE TABLE calendar (
  id smallint NOT NULL DEFAULT 1,
  working_days jsonb NOT NULL,
  hours jsonb NOT NULL,
  country text COLLATE "C",
  region text COLLATE "C",
  holidays jsonb NOT NULL DEFAULT '[]'::jsonb,
  answer_within_hours integer NOT NULL,
  version integer NOT NULL DEFAULT 1,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_by text,
  CONSTRAINT calendar_id_check CHECK ((id = 1)),
  CONSTRAINT calendar_pkey PRIMARY KEY (id)
);

CREATE TABLE customer_aliases (
  customer_id text COLLATE "C" NOT NULL,
  merged_into text COLLATE "C",
  version integer NOT NULL,
  CONSTRAINT customer_aliases_pkey PRIMARY KEY (customer_id)
);
CREATE INDEX customer_aliases_by_lead ON customer_aliases (merged_into) WHERE (merged_into IS NOT NULL);

CREATE TABLE finished_runs (
  run_id uuid NOT NULL,
  alerts integer NOT NULL,
  heard_at timestamp with time zone NOT NULL,
  CONSTRAINT finished_runs_pkey PRIMARY KEY (run_id)
);

CREATE TABLE followed_customers (
  customer_id text COLLATE "C" NOT NULL,
  assigned_agent text COLLATE "C",
  version integer,
  CONSTRAINT followed_customers_pkey PRIMARY KEY (customer_id)
);
CREATE INDEX followed_customers_to_ask ON followed_customers (customer_id) WHERE (version IS NULL);

CREATE TABLE followed_renewals (
  renewal_id uuid NOT NULL,
  customer_id text COLLATE "C" NOT NULL,
  due_date date NOT NULL,
  status text COLLATE "C" NOT NULL,
  assigned_agent text COLLATE "C",
  reminders text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  hold jsonb,
  written_under text COLLATE "C",
  CONSTRAINT followed_renewals_reminders_check CHECK ((reminders = ANY (ARRAY['on'::text, 'off'::text]))),
  CONSTRAINT followed_renewals_pkey PRIMARY KEY (renewal_id)
);
CREATE INDEX followed_renewals_of_customer ON followed_renewals (customer_id);
CREATE INDEX followed_renewals_written_under ON followed_renewals (written_under) WHERE (written_under IS NOT NULL);
CREATE TRIGGER followed_renewals_belong_to_customer BEFORE INSERT ON followed_renewals FOR EACH ROW EXECUTE FUNCTION belong_to_customer();
CREATE TRIGGER followed_renewals_take_actions_along AFTER UPDATE ON followed_renewals FOR EACH ROW WHEN ((old.customer_id <> new.customer_id)) EXECUTE FUNCTION take_actions_along();

CREATE TABLE run_alerts (
  run_id uuid NOT NULL,
  renewal_id uuid NOT NULL,
  due_date date NOT NULL,
  rung text COLLATE "C" NOT NULL,
  step text COLLATE "C" NOT NULL,
  decided_at timestamp with time zone NOT NULL,
  CONSTRAINT run_alerts_pkey PRIMARY KEY (run_id, renewal_id, due_date, rung, step)
);
CREATE INDEX run_alerts_by_age ON run_alerts (decided_at);

CREATE TABLE send_receipts (
  item_id uuid NOT NULL,
  provider text COLLATE "C" NOT NULL,
  external_id text COLLATE "C" NOT NULL,
  attempt_id uuid,
  status text NOT NULL,
  failure jsonb,
  occurred_at timestamp with time zone NOT NULL,
  received_at timestamp with time zone NOT NULL,
  send_id uuid,
  recipients text[] COLLATE "C",
  CONSTRAINT send_receipts_status_check CHECK ((status = ANY (ARRAY['SENT'::text, 'DELIVERED'::text, 'READ'::text, 'FAILED'::text]))),
  CONSTRAINT send_receipts_send_id_fkey FOREIGN KEY (send_id) REFERENCES sends(id) ON DELETE CASCADE,
  CONSTRAINT send_receipts_pkey PRIMARY KEY (item_id)
);
CREATE INDEX send_receipts_of_send ON send_receipts (send_id) WHERE (send_id IS NOT NULL);
CREATE INDEX send_receipts_parked_by_age ON send_receipts (received_at) WHERE (send_id IS NULL);
CREATE INDEX send_receipts_waiting ON send_receipts (provider, external_id) WHERE (send_id IS NULL);

CREATE TABLE send_tries (
  id uuid NOT NULL,
  send_id uuid NOT NULL,
  number integer NOT NULL,
  started_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone NOT NULL,
  outcome text NOT NULL,
  reason text,
  CONSTRAINT send_tries_outcome_check CHECK ((outcome = ANY (ARRAY['accepted'::text, 'refused'::text, 'not_taken'::text, 'uncertain'::text]))),
  CONSTRAINT send_tries_send_id_fkey FOREIGN KEY (send_id) REFERENCES sends(id) ON DELETE CASCADE,
  CONSTRAINT send_tries_pkey PRIMARY KEY (id)
);
CREATE INDEX send_tries_of_send ON send_tries (send_id);

CREATE TABLE sends (
  id uuid NOT NULL,
  communication_id uuid NOT NULL,
  attempt integer NOT NULL,
  position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  customer_id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  provider text COLLATE "C" NOT NULL,
  message jsonb,
  trace jsonb NOT NULL,
  status text COLLATE "C" NOT NULL DEFAULT 'QUEUED'::text,
  failure jsonb,
  provider_message_id text COLLATE "C",
  told text[] NOT NULL DEFAULT '{}'::text[],
  tries integer NOT NULL DEFAULT 0,
  due_at timestamp with time zone NOT NULL,
  next_try_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone,
  claim uuid,
  claimed_until timestamp with time zone,
  on_wire_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  stop jsonb,
  sent_to text COLLATE "C",
  written_under text COLLATE "C",
  CONSTRAINT sends_check CHECK (((status <> 'QUEUED'::text) OR (message IS NOT NULL))),
  CONSTRAINT sends_status_check CHECK ((status = ANY (ARRAY['QUEUED'::text, 'CANCELLED'::text, 'UNCERTAIN'::text, 'SENT'::text, 'FAILED'::text, 'DELIVERED'::text, 'READ'::text]))),
  CONSTRAINT sends_type_check CHECK ((type = ANY (ARRAY['MESSAGING_APP'::text, 'EMAIL'::text, 'SMS'::text]))),
  CONSTRAINT sends_pkey PRIMARY KEY (id),
  CONSTRAINT sends_communication_id_attempt_key UNIQUE (communication_id, attempt)
);
CREATE INDEX sends_by_age ON sends (type, created_at);
CREATE INDEX sends_by_provider_id ON sends (provider, provider_message_id) WHERE (provider_message_id IS NOT NULL);
CREATE INDEX sends_due ON sends (provider, next_try_at, "position") WHERE (status = 'QUEUED'::text);
CREATE INDEX sends_due_soon ON sends (provider, next_try_at, "position") WHERE ((status = 'QUEUED'::text) AND ((expires_at IS NOT NULL) OR (attempt > 1)));
CREATE INDEX sends_in_order ON sends (customer_id, type, "position") WHERE (status = 'QUEUED'::text);
CREATE INDEX sends_on_wire ON sends (claimed_until) WHERE (on_wire_at IS NOT NULL);
CREATE INDEX sends_to_expire ON sends (expires_at) WHERE ((status = 'QUEUED'::text) AND (expires_at IS NOT NULL));
CREATE INDEX sends_written_under ON sends (written_under) WHERE ((written_under IS NOT NULL) AND (status = 'QUEUED'::text));
CREATE TRIGGER sends_belong_to_customer BEFORE INSERT ON sends FOR EACH ROW WHEN ((new.status = 'QUEUED'::text)) EXECUTE FUNCTION belong_to_customer();

CREATE TABLE tasks (
  id uuid NOT NULL,
  customer_id text COLLATE "C" NOT NULL,
  renewal_id uuid,
  title text NOT NULL,
  notes text,
  priority text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  due_date date,
  rung text COLLATE "C",
  alerted_date date,
  assigned_agent text COLLATE "C",
  created_by text,
  closed_because text,
  version integer NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  closed_at timestamp with time zone,
  state_order smallint GENERATED ALWAYS AS (
CASE status
    WHEN 'OPEN'::text THEN 0
    ELSE 1
END) STORED,
  urgency smallint GENERATED ALWAYS AS (
CASE priority
    WHEN 'URGENT'::text THEN 0
    WHEN 'HIGH'::text THEN 1
    ELSE 2
END) STORED,
  due_order integer GENERATED ALWAYS AS (COALESCE((due_date - '2000-01-01'::date), 2147483647)) STORED,
  put_off_to date,
  renewal_agent text COLLATE "C",
  customer_agent text COLLATE "C",
  given_to text COLLATE "C",
  due_by_itself date,
  told integer NOT NULL DEFAULT 0,
  written_under text COLLATE "C",
  communication_id uuid,
  CONSTRAINT tasks_check CHECK (((status = 'OPEN'::text) = (closed_at IS NULL))),
  CONSTRAINT tasks_check1 CHECK (((rung IS NULL) = (alerted_date IS NULL))),
  CONSTRAINT tasks_check2 CHECK (((rung IS NULL) OR (renewal_id IS NOT NULL))),
  CONSTRAINT tasks_priority_check CHECK ((priority = ANY (ARRAY['NORMAL'::text, 'HIGH'::text, 'URGENT'::text]))),
  CONSTRAINT tasks_rung_check CHECK ((rung = ANY (ARRAY['90'::text, '60'::text, '30'::text, '14'::text, '7'::text, 'OVERDUE'::text]))),
  CONSTRAINT tasks_status_check CHECK ((status = ANY (ARRAY['OPEN'::text, 'DONE'::text, 'CANCELLED'::text]))),
  CONSTRAINT tasks_pkey PRIMARY KEY (id)
);
CREATE INDEX tasks_by_words ON tasks USING gin (words_of(((title || ' '::text) || COALESCE(notes, ''::text))));
CREATE INDEX tasks_most_urgent ON tasks (state_order, urgency, due_order, id);
CREATE INDEX tasks_of_customer ON tasks (customer_id, state_order, urgency, due_order, id);
CREATE INDEX tasks_of_owner ON tasks (COALESCE(assigned_agent, renewal_agent, customer_agent, ''::text), state_order, urgency, due_order, id);
CREATE INDEX tasks_of_renewal ON tasks (renewal_id, state_order, urgency, due_order, id) WHERE (renewal_id IS NOT NULL);
CREATE UNIQUE INDEX tasks_open_of_alert ON tasks (renewal_id) WHERE ((status = 'OPEN'::text) AND (rung IS NOT NULL));
CREATE INDEX tasks_untold ON tasks (id) WHERE ((told < version) AND ((status = 'OPEN'::text) OR (told > 0)));
CREATE INDEX tasks_written_under ON tasks (written_under) WHERE (written_under IS NOT NULL);
CREATE TRIGGER tasks_belong_to_customer BEFORE INSERT ON tasks FOR EACH ROW EXECUTE FUNCTION belong_to_customer();

CREATE TABLE templates (
  rung text COLLATE "C" NOT NULL,
  channel text COLLATE "C" NOT NULL,
  locale text COLLATE "C" NOT NULL,
  subject text,
  body text NOT NULL,
  version integer NOT NULL DEFAULT 1,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_by text,
  several_subject text,
  several_body text,
  CONSTRAINT templates_channel_check CHECK ((channel = ANY (ARRAY['MESSAGING_APP'::text, 'EMAIL'::text, 'SMS'::text]))),
  CONSTRAINT templates_rung_check CHECK ((rung = ANY (ARRAY['90'::text, '60'::text, '30'::text, '14'::text, '7'::text, 'OVERDUE'::text]))),
  CONSTRAINT templates_pkey PRIMARY KEY (rung, channel, locale)
);

CREATE VIEW deliveries AS
 SELECT id,
    communication_id,
    attempt,
    "position",
    customer_id,
    type,
    provider,
    message,
    trace,
    status,
    failure,
    provider_message_id,
    told,
    tries,
    due_at,
    next_try_at,
    expires_at,
    claim,
    claimed_until,
    on_wire_at,
    created_at,
    stop
   FROM sends;

CREATE VIEW receipts AS
 SELECT item_id,
    provider,
    external_id,
    attempt_id,
    status,
    failure,
    occurred_at,
    received_at,
    send_id AS delivery_id
   FROM send_receipts;

CREATE VIEW tries AS
 SELECT id,
    send_id AS delivery_id,
    number,
    started_at,
    ended_at,
    outcome,
    reason
   FROM send_tries;
