-- The schema `renewals` as its migrations leave it, beside what every service has (packages/service-kit/schema.sql).

CREATE OR REPLACE FUNCTION count_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO renewal_count_changes (owner, service_type, status, due_date, change)
  SELECT coalesce(assigned_agent, customer_agent, ''), service_type, status, CASE WHEN closed_at IS NULL THEN due_date END, sum(change)
  FROM (SELECT assigned_agent, customer_agent, service_type, status, closed_at, due_date, 1 AS change FROM after
        UNION ALL
        SELECT assigned_agent, customer_agent, service_type, status, closed_at, due_date, -1 FROM before) both_of_each
  GROUP BY 1, 2, 3, 4 HAVING sum(change) <> 0;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION count_gone()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO renewal_count_changes (owner, service_type, status, due_date, change)
  SELECT coalesce(assigned_agent, customer_agent, ''), service_type, status, CASE WHEN closed_at IS NULL THEN due_date END, -count(*)
  FROM gone GROUP BY 1, 2, 3, 4;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION count_made()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO renewal_count_changes (owner, service_type, status, due_date, change)
  SELECT coalesce(assigned_agent, customer_agent, ''), service_type, status, CASE WHEN closed_at IS NULL THEN due_date END, count(*)
  FROM made GROUP BY 1, 2, 3, 4;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION external_id_of(renewal uuid)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
BEGIN ATOMIC
 WITH RECURSIVE line AS (
          SELECT r.id,
             r.predecessor_id,
             e.external_id
            FROM (renewals r
              LEFT JOIN external_ids e ON ((e.renewal_id = r.id)))
           WHERE (r.id = external_id_of.renewal)
         UNION
          SELECT p.id,
             p.predecessor_id,
             e.external_id
            FROM ((line l_1
              JOIN renewals p ON ((p.id = l_1.predecessor_id)))
              LEFT JOIN external_ids e ON ((e.renewal_id = p.id)))
           WHERE (l_1.external_id IS NULL)
         )
  SELECT l.external_id
    FROM line l
   WHERE (l.external_id IS NOT NULL);
END;

CREATE OR REPLACE FUNCTION hold_merges()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(merges_lock());
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION know_customer_agent()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  written text := coalesce(NEW.written_under, NEW.customer_id);
BEGIN
  NEW.customer_id := written;
  IF EXISTS (SELECT FROM customer_aliases a WHERE a.customer_id = written) THEN
    NEW.customer_id := leads_to(written);
    IF NEW.customer_id <> written THEN NEW.written_under := written; END IF;
  END IF;
  INSERT INTO followed_customers (customer_id) VALUES (NEW.customer_id) ON CONFLICT DO NOTHING;
  SELECT f.assigned_agent INTO NEW.customer_agent
  FROM followed_customers f WHERE f.customer_id = NEW.customer_id FOR SHARE;
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

CREATE OR REPLACE FUNCTION number_of(what text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN "left"(array_to_string(words_in(what), ''::text), 200);

CREATE OR REPLACE FUNCTION utc_text(at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN to_char((at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'::text);

CREATE TABLE agents (
  id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  absent_until date,
  deputy text COLLATE "C",
  version integer NOT NULL,
  CONSTRAINT agents_pkey PRIMARY KEY (id)
);

CREATE TABLE alert_outcomes (
  renewal_id uuid NOT NULL,
  due_date date NOT NULL,
  rung text COLLATE "C" NOT NULL,
  channel text COLLATE "C" NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  instead_of text COLLATE "C",
  reason jsonb,
  communication_id uuid,
  task_id uuid,
  send_after timestamp with time zone,
  occurred_at timestamp with time zone NOT NULL,
  told_id text COLLATE "C" NOT NULL,
  step text COLLATE "C" NOT NULL DEFAULT '0'::text,
  send_after_reason jsonb,
  CONSTRAINT alert_outcomes_channel_check CHECK ((channel = ANY (ARRAY['MESSAGING_APP'::text, 'EMAIL'::text, 'SMS'::text, 'TASK'::text]))),
  CONSTRAINT alert_outcomes_outcome_check CHECK ((outcome = ANY (ARRAY['planned'::text, 'not_sent'::text, 'cancelled'::text]))),
  CONSTRAINT alert_outcomes_of_alert FOREIGN KEY (renewal_id, due_date, rung, step) REFERENCES alerts(renewal_id, due_date, rung, step),
  CONSTRAINT alert_outcomes_pkey PRIMARY KEY (renewal_id, due_date, rung, step, channel)
);

CREATE TABLE alerts (
  renewal_id uuid NOT NULL,
  due_date date NOT NULL,
  rung text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  days_until_due integer NOT NULL,
  run_id uuid,
  decided_at timestamp with time zone NOT NULL,
  step text COLLATE "C" NOT NULL DEFAULT '0'::text,
  because text COLLATE "C",
  CONSTRAINT alerts_rung_check CHECK ((rung = ANY (ARRAY['90'::text, '60'::text, '30'::text, '14'::text, '7'::text, 'OVERDUE'::text]))),
  CONSTRAINT alerts_state_check CHECK ((state = ANY (ARRAY['FIRED'::text, 'SUPERSEDED'::text]))),
  CONSTRAINT alerts_renewal_id_fkey FOREIGN KEY (renewal_id) REFERENCES renewals(id),
  CONSTRAINT alerts_pkey PRIMARY KEY (renewal_id, due_date, rung, step)
);
CREATE INDEX alerts_of_run ON alerts (run_id) WHERE (run_id IS NOT NULL);

CREATE TABLE compliance_flags (
  id uuid NOT NULL,
  customer_id text COLLATE "C" NOT NULL,
  renewal_id uuid NOT NULL,
  due_date date NOT NULL,
  raised_at timestamp with time zone NOT NULL,
  cleared_at timestamp with time zone,
  cleared_because text,
  CONSTRAINT compliance_flags_check CHECK (((cleared_at IS NULL) = (cleared_because IS NULL))),
  CONSTRAINT compliance_flags_cleared_because_check CHECK ((cleared_because = ANY (ARRAY['completed'::text, 'cancelled'::text, 'date_changed'::text]))),
  CONSTRAINT compliance_flags_renewal_id_fkey FOREIGN KEY (renewal_id) REFERENCES renewals(id),
  CONSTRAINT compliance_flags_pkey PRIMARY KEY (id)
);
CREATE INDEX compliance_flags_of_customer ON compliance_flags (customer_id, raised_at DESC, id DESC);
CREATE INDEX compliance_flags_of_renewal ON compliance_flags (renewal_id);
CREATE UNIQUE INDEX compliance_flags_open ON compliance_flags (renewal_id) WHERE (cleared_at IS NULL);

CREATE TABLE customer_aliases (
  customer_id text COLLATE "C" NOT NULL,
  merged_into text COLLATE "C",
  version integer NOT NULL,
  CONSTRAINT customer_aliases_pkey PRIMARY KEY (customer_id)
);
CREATE INDEX customer_aliases_by_lead ON customer_aliases (merged_into) WHERE (merged_into IS NOT NULL);

CREATE TABLE external_ids (
  external_id text COLLATE "C" NOT NULL,
  renewal_id uuid NOT NULL,
  CONSTRAINT external_ids_renewal_id_fkey FOREIGN KEY (renewal_id) REFERENCES renewals(id),
  CONSTRAINT external_ids_pkey PRIMARY KEY (renewal_id)
);
CREATE INDEX external_ids_by_id ON external_ids (external_id);

CREATE TABLE followed_alert_plan (
  id smallint NOT NULL DEFAULT 1,
  outreach jsonb NOT NULL,
  version integer NOT NULL DEFAULT 0,
  CONSTRAINT followed_alert_plan_id_check CHECK ((id = 1)),
  CONSTRAINT followed_alert_plan_pkey PRIMARY KEY (id)
);

CREATE TABLE followed_customers (
  customer_id text COLLATE "C" NOT NULL,
  assigned_agent text COLLATE "C",
  version integer,
  CONSTRAINT followed_customers_pkey PRIMARY KEY (customer_id)
);
CREATE INDEX followed_customers_to_ask ON followed_customers (customer_id) WHERE (version IS NULL);

CREATE TABLE followed_tasks (
  task_id uuid NOT NULL,
  renewal_id uuid NOT NULL,
  assigned_agent text COLLATE "C",
  is_open boolean NOT NULL,
  version integer NOT NULL,
  CONSTRAINT followed_tasks_pkey PRIMARY KEY (task_id)
);
CREATE INDEX followed_tasks_open ON followed_tasks (renewal_id) WHERE is_open;

CREATE TABLE import_chunks (
  import_id uuid NOT NULL,
  n integer NOT NULL,
  content bytea NOT NULL,
  CONSTRAINT import_chunks_import_id_fkey FOREIGN KEY (import_id) REFERENCES imports(id) ON DELETE CASCADE,
  CONSTRAINT import_chunks_pkey PRIMARY KEY (import_id, n)
);

CREATE TABLE import_rows (
  import_id uuid NOT NULL,
  line integer NOT NULL,
  cells jsonb NOT NULL,
  outcome text NOT NULL,
  key text COLLATE "C",
  record_id text COLLATE "C",
  errors jsonb NOT NULL DEFAULT '[]'::jsonb,
  bytes integer NOT NULL GENERATED ALWAYS AS (octet_length((cells)::text)) STORED,
  kept jsonb NOT NULL DEFAULT '[]'::jsonb,
  CONSTRAINT import_rows_outcome_check CHECK ((outcome = ANY (ARRAY['create'::text, 'change'::text, 'unchanged'::text, 'refused'::text, 'created'::text, 'changed'::text]))),
  CONSTRAINT import_rows_import_id_fkey FOREIGN KEY (import_id) REFERENCES imports(id) ON DELETE CASCADE,
  CONSTRAINT import_rows_pkey PRIMARY KEY (import_id, line)
);
CREATE INDEX import_rows_by_key ON import_rows (import_id, key) WHERE (key IS NOT NULL);
CREATE INDEX import_rows_to_do ON import_rows (import_id, line) WHERE (outcome = ANY (ARRAY['create'::text, 'change'::text]));

CREATE TABLE imports (
  id uuid NOT NULL,
  name text NOT NULL,
  status text NOT NULL,
  options jsonb NOT NULL,
  layout jsonb NOT NULL,
  apply boolean NOT NULL,
  counts jsonb NOT NULL,
  failure text,
  claim uuid,
  claimed_until timestamp with time zone,
  created_by text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  finished_at timestamp with time zone,
  claims integer NOT NULL DEFAULT 0,
  read_to jsonb,
  forecast jsonb,
  acting jsonb,
  CONSTRAINT imports_status_check CHECK ((status = ANY (ARRAY['CHECKING'::text, 'CHECKED'::text, 'RUNNING'::text, 'COMPLETED'::text, 'FAILED'::text]))),
  CONSTRAINT imports_pkey PRIMARY KEY (id)
);
CREATE INDEX imports_to_work_on ON imports (id) WHERE (status = ANY (ARRAY['CHECKING'::text, 'RUNNING'::text]));

CREATE TABLE linked_messages (
  communication_id uuid NOT NULL,
  renewal_id uuid,
  type text COLLATE "C" NOT NULL,
  direction text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  in_reply_to uuid,
  occurred_at timestamp with time zone NOT NULL,
  told_at timestamp with time zone NOT NULL,
  told_id text COLLATE "C" NOT NULL,
  automatic boolean NOT NULL DEFAULT false,
  renewal_version integer,
  other_renewal_ids uuid[] NOT NULL DEFAULT '{}'::uuid[],
  other_versions integer[] NOT NULL DEFAULT '{}'::integer[],
  CONSTRAINT linked_messages_pkey PRIMARY KEY (communication_id)
);
CREATE INDEX linked_messages_by_answered ON linked_messages (in_reply_to) WHERE (in_reply_to IS NOT NULL);
CREATE INDEX linked_messages_of_others ON linked_messages USING gin (other_renewal_ids) WITH (fastupdate=off) WHERE (other_renewal_ids <> '{}'::uuid[]);
CREATE INDEX linked_messages_of_renewal ON linked_messages (renewal_id, occurred_at DESC, communication_id DESC) WHERE (renewal_id IS NOT NULL);

CREATE TABLE open_renewal_counts (
  due_date date NOT NULL,
  service_type text COLLATE "C" NOT NULL,
  count integer NOT NULL,
  CONSTRAINT open_renewal_counts_pkey PRIMARY KEY (due_date, service_type)
);

CREATE TABLE refresh_runs (
  id uuid NOT NULL,
  as_of date NOT NULL,
  status text NOT NULL,
  started_by text,
  slot timestamp with time zone,
  counts jsonb NOT NULL,
  failure text,
  started_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  finished_at timestamp with time zone,
  alerts integer NOT NULL DEFAULT 0,
  at_risk integer,
  CONSTRAINT refresh_runs_status_check CHECK ((status = ANY (ARRAY['RUNNING'::text, 'COMPLETED'::text, 'FAILED'::text, 'ABANDONED'::text]))),
  CONSTRAINT refresh_runs_pkey PRIMARY KEY (id),
  CONSTRAINT refresh_runs_slot_key UNIQUE (slot)
);
CREATE UNIQUE INDEX refresh_runs_one_at_a_time ON refresh_runs ((true)) WHERE (status = 'RUNNING'::text);

CREATE TABLE refresh_set_aside (
  run_id uuid NOT NULL,
  renewal_id uuid NOT NULL,
  error text NOT NULL,
  CONSTRAINT refresh_set_aside_renewal_id_fkey FOREIGN KEY (renewal_id) REFERENCES renewals(id),
  CONSTRAINT refresh_set_aside_run_id_fkey FOREIGN KEY (run_id) REFERENCES refresh_runs(id),
  CONSTRAINT refresh_set_aside_pkey PRIMARY KEY (run_id, renewal_id)
);
CREATE INDEX refresh_set_aside_of_renewal ON refresh_set_aside (renewal_id);

CREATE TABLE refreshed (
  id smallint NOT NULL DEFAULT 1,
  as_of date,
  CONSTRAINT refreshed_id_check CHECK ((id = 1)),
  CONSTRAINT refreshed_pkey PRIMARY KEY (id)
);

CREATE TABLE renewal_count_changes (
  owner text COLLATE "C" NOT NULL,
  service_type text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  due_date date,
  change integer NOT NULL
);

CREATE TABLE renewal_counts (
  owner text COLLATE "C" NOT NULL,
  service_type text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  count integer NOT NULL,
  CONSTRAINT renewal_counts_pkey PRIMARY KEY (owner, service_type, status)
);

CREATE TABLE renewals (
  id uuid NOT NULL,
  customer_id text COLLATE "C" NOT NULL,
  service_type text COLLATE "C" NOT NULL,
  due_date date NOT NULL,
  anchor_day smallint NOT NULL,
  status text COLLATE "C" NOT NULL,
  policy_id text COLLATE "C",
  notes text,
  assigned_agent text COLLATE "C",
  reminders boolean NOT NULL DEFAULT true,
  source_kind text COLLATE "C",
  source_id text COLLATE "C",
  predecessor_id uuid,
  successor_id uuid,
  successor_version integer,
  successor_made boolean,
  started_at timestamp with time zone,
  closed_at timestamp with time zone,
  closed_from text COLLATE "C",
  reopened_at timestamp with time zone,
  next_alert_on date,
  version integer NOT NULL DEFAULT 1,
  created_on date NOT NULL,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  start_released boolean NOT NULL DEFAULT false,
  acknowledged_until date,
  answered_until date,
  acknowledged_note text,
  acknowledged_by text,
  acknowledged_at timestamp with time zone,
  answers_from integer NOT NULL DEFAULT 0,
  withheld boolean NOT NULL DEFAULT false,
  silent_through text COLLATE "C",
  silenced boolean NOT NULL DEFAULT false,
  customer_agent text COLLATE "C",
  cancel_reason text COLLATE "C",
  cancel_note text,
  sequence jsonb,
  known_after_alert boolean,
  written_under text COLLATE "C",
  CONSTRAINT renewals_acknowledged CHECK ((num_nulls(acknowledged_until, acknowledged_by, acknowledged_at) = ANY (ARRAY[0, 3]))),
  CONSTRAINT renewals_anchor_day_check CHECK (((anchor_day >= 1) AND (anchor_day <= 31))),
  CONSTRAINT renewals_cancel_reason_check CHECK ((cancel_reason = ANY (ARRAY['lost'::text, 'not_needed'::text, 'duplicate'::text, 'upstream'::text, 'other'::text]))),
  CONSTRAINT renewals_check CHECK (((status = ANY (ARRAY['COMPLETED'::text, 'CANCELLED'::text])) = (closed_at IS NOT NULL))),
  CONSTRAINT renewals_check1 CHECK (((closed_at IS NULL) = (closed_from IS NULL))),
  CONSTRAINT renewals_check2 CHECK (((closed_at IS NULL) OR (next_alert_on IS NULL))),
  CONSTRAINT renewals_check3 CHECK (((successor_id IS NULL) OR (status = 'COMPLETED'::text))),
  CONSTRAINT renewals_check4 CHECK ((num_nulls(successor_id, successor_version, successor_made) = ANY (ARRAY[0, 3]))),
  CONSTRAINT renewals_check5 CHECK (((source_kind IS NULL) = (source_id IS NULL))),
  CONSTRAINT renewals_closed_from_check CHECK ((closed_from = ANY (ARRAY['UPCOMING'::text, 'IN_PROGRESS'::text, 'OVERDUE'::text]))),
  CONSTRAINT renewals_silent_through_check CHECK ((silent_through = ANY (ARRAY['90'::text, '60'::text, '30'::text, '14'::text, '7'::text, 'OVERDUE'::text]))),
  CONSTRAINT renewals_status_check CHECK ((status = ANY (ARRAY['UPCOMING'::text, 'IN_PROGRESS'::text, 'OVERDUE'::text, 'COMPLETED'::text, 'CANCELLED'::text]))),
  CONSTRAINT renewals_predecessor_id_fkey FOREIGN KEY (predecessor_id) REFERENCES renewals(id),
  CONSTRAINT renewals_successor_id_fkey FOREIGN KEY (successor_id) REFERENCES renewals(id),
  CONSTRAINT renewals_pkey PRIMARY KEY (id),
  CONSTRAINT renewals_predecessor_id_key UNIQUE (predecessor_id)
);
CREATE INDEX renewals_by_part_of_number ON renewals USING gin (ends_of(number_of(((COALESCE(policy_id, ''::text) || ' '::text) || COALESCE(source_id, ''::text))))) WHERE ((policy_id IS NOT NULL) OR (source_id IS NOT NULL));
CREATE INDEX renewals_by_status ON renewals (status, due_date, id);
CREATE INDEX renewals_most_urgent ON renewals (due_date, id) WHERE (closed_at IS NULL);
CREATE INDEX renewals_naming_policy ON renewals (policy_id) WHERE ((policy_id IS NOT NULL) AND (closed_at IS NULL));
CREATE INDEX renewals_of_customer ON renewals (customer_id, due_date, id);
CREATE INDEX renewals_of_owner ON renewals (COALESCE(assigned_agent, customer_agent, ''::text), due_date, id) WHERE (closed_at IS NULL);
CREATE INDEX renewals_of_policy ON renewals (customer_id, policy_id) WHERE (policy_id IS NOT NULL);
CREATE INDEX renewals_of_source ON renewals (source_id, source_kind) WHERE (source_id IS NOT NULL);
CREATE INDEX renewals_of_successor ON renewals (successor_id) WHERE (successor_id IS NOT NULL);
CREATE INDEX renewals_of_type ON renewals (service_type, due_date, id) WHERE (closed_at IS NULL);
CREATE INDEX renewals_silenced ON renewals (id) WHERE silenced;
CREATE INDEX renewals_to_alert ON renewals (next_alert_on, id) WHERE (next_alert_on IS NOT NULL);
CREATE INDEX renewals_written_under ON renewals (written_under) WHERE (written_under IS NOT NULL);
CREATE TRIGGER renewals_count_changed AFTER UPDATE ON renewals REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION count_changed();
CREATE TRIGGER renewals_count_gone AFTER DELETE ON renewals REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION count_gone();
CREATE TRIGGER renewals_count_made AFTER INSERT ON renewals REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION count_made();
CREATE TRIGGER renewals_hold_merges BEFORE INSERT ON renewals FOR EACH STATEMENT EXECUTE FUNCTION hold_merges();
CREATE TRIGGER renewals_know_customer_agent BEFORE INSERT ON renewals FOR EACH ROW EXECUTE FUNCTION know_customer_agent();

CREATE TABLE service_types (
  code text COLLATE "C" NOT NULL,
  label text NOT NULL,
  renewal_months integer,
  version integer NOT NULL DEFAULT 1,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  labels jsonb NOT NULL DEFAULT '{}'::jsonb,
  CONSTRAINT service_types_labels_check CHECK ((jsonb_typeof(labels) = 'object'::text)),
  CONSTRAINT service_types_renewal_months_check CHECK ((renewal_months > 0)),
  CONSTRAINT service_types_pkey PRIMARY KEY (code)
);

CREATE TABLE upstream_endings (
  kind text COLLATE "C" NOT NULL,
  source_id text COLLATE "C" NOT NULL,
  told_at timestamp with time zone NOT NULL,
  told_id text COLLATE "C" NOT NULL,
  CONSTRAINT upstream_endings_pkey PRIMARY KEY (kind, source_id)
);

CREATE TABLE upstream_statements (
  kind text COLLATE "C" NOT NULL,
  source_id text COLLATE "C" NOT NULL,
  renewal_id uuid NOT NULL,
  assigned_agent text COLLATE "C",
  told_at timestamp with time zone NOT NULL,
  told_id text COLLATE "C" NOT NULL,
  CONSTRAINT upstream_statements_renewal_id_fkey FOREIGN KEY (renewal_id) REFERENCES renewals(id),
  CONSTRAINT upstream_statements_pkey PRIMARY KEY (kind, source_id)
);
CREATE INDEX upstream_statements_of_renewal ON upstream_statements (renewal_id) WHERE (renewal_id IS NOT NULL);

CREATE VIEW renewals_seen AS
 SELECT id,
    customer_id,
    service_type,
    due_date,
    anchor_day,
    status,
    policy_id,
    notes,
    assigned_agent,
    reminders,
    source_kind,
    source_id,
    predecessor_id,
    successor_id,
    successor_version,
    successor_made,
    started_at,
    closed_at,
    closed_from,
    reopened_at,
    next_alert_on,
    version,
    created_on,
    created_at,
    updated_at,
    start_released,
    acknowledged_until,
    answered_until,
    acknowledged_note,
    acknowledged_by,
    acknowledged_at,
    answers_from,
    withheld,
    silent_through,
    silenced,
    customer_agent,
    cancel_reason,
    cancel_note,
    sequence,
    known_after_alert,
    written_under,
        CASE
            WHEN (closed_at IS NULL) THEN (due_date - COALESCE(( SELECT as_of
               FROM refreshed f), created_on))
            ELSE NULL::integer
        END AS days_until_due
   FROM renewals r;

CREATE VIEW upstream_words AS
 SELECT kind,
    source_id,
    renewal_id,
    assigned_agent,
    told_at,
    told_id
   FROM upstream_statements;
