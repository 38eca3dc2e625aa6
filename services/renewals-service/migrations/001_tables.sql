-- Stands for all up to renewals-service/005_words_ahead.sql 74155205a22fcfbeb72d3b2c022800ef1881ad72fd4127a5ca55439918630360

COMMENT ON SCHEMA renewals IS 'Renewals, the alert ledger, refresh runs, service types and compliance flags; renewals-service alone reads and writes it';

-- What expires when, what was alerted about it, and the runs that looked.

-- RFC 3339 to the microsecond. A JavaScript Date would cut three digits off, and a cursor would then skip or repeat rows.
CREATE FUNCTION utc_text(at timestamptz) RETURNS text
  LANGUAGE sql STABLE PARALLEL SAFE
  RETURN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');

CREATE TABLE service_types (
  code text COLLATE "C" PRIMARY KEY,
  label text NOT NULL,
  -- Null: completing one makes no next one by itself.
  renewal_months integer CHECK (renewal_months > 0),
  version integer NOT NULL DEFAULT 1,
  updated_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO service_types (code, label, renewal_months) VALUES
  ('RESIDENCE_PERMIT', 'Residence permit', 24),
  ('WORK_PERMIT', 'Work permit', 24),
  ('INSURANCE_POLICY', 'Insurance policy', 12);

CREATE TABLE renewals (
  id uuid PRIMARY KEY,
  customer_id text COLLATE "C" NOT NULL,
  service_type text COLLATE "C" NOT NULL,
  due_date date NOT NULL,
  -- The day of the month its terms are counted by: a renewal of the 31st falls on the 30th in between.
  anchor_day smallint NOT NULL CHECK (anchor_day BETWEEN 1 AND 31),
  status text COLLATE "C" NOT NULL CHECK (status IN ('UPCOMING', 'IN_PROGRESS', 'OVERDUE', 'COMPLETED', 'CANCELLED')),
  policy_id text COLLATE "C",
  notes text,
  assigned_agent text COLLATE "C",
  reminders boolean NOT NULL DEFAULT true,
  -- The policy or permit it was made for by itself.
  source_kind text COLLATE "C",
  source_id text COLLATE "C",
  predecessor_id uuid UNIQUE REFERENCES renewals,
  -- Of a completed one: what followed it, at which version, and whether completing it made that one. Several may lead
  -- to one successor; its predecessor is the first of them.
  successor_id uuid REFERENCES renewals,
  successor_version integer,
  successor_made boolean,
  started_at timestamptz,
  closed_at timestamptz,
  -- What it was before it was closed: reopening takes it back there.
  closed_from text COLLATE "C" CHECK (closed_from IN ('UPCOMING', 'IN_PROGRESS', 'OVERDUE')),
  reopened_at timestamptz,
  -- When a refresh has something to do with it; null: nothing any more.
  next_alert_on date,
  version integer NOT NULL DEFAULT 1,
  -- The business date it was made on: days until due are counted from it until the first refresh.
  created_on date NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CHECK ((status IN ('COMPLETED', 'CANCELLED')) = (closed_at IS NOT NULL)),
  CHECK ((closed_at IS NULL) = (closed_from IS NULL)),
  CHECK (closed_at IS NULL OR next_alert_on IS NULL),
  CHECK (successor_id IS NULL OR status = 'COMPLETED'),
  CHECK (num_nulls(successor_id, successor_version, successor_made) IN (0, 3)),
  CHECK ((source_kind IS NULL) = (source_id IS NULL))
);
-- A night costs what it has to alert: only what is due for it is read.
CREATE INDEX renewals_to_alert ON renewals (next_alert_on, id) WHERE next_alert_on IS NOT NULL;
CREATE INDEX renewals_most_urgent ON renewals (due_date, id) WHERE closed_at IS NULL;
CREATE INDEX renewals_of_type ON renewals (service_type, due_date, id) WHERE closed_at IS NULL;
-- Those of nobody are asked for like those of somebody.
CREATE INDEX renewals_of_agent ON renewals (coalesce(assigned_agent, ''), due_date, id) WHERE closed_at IS NULL;
CREATE INDEX renewals_by_status ON renewals (status, due_date, id);
CREATE INDEX renewals_of_customer ON renewals (customer_id, due_date, id);
-- A customer may have thousands of policies, and a file a row for each.
CREATE INDEX renewals_of_policy ON renewals (customer_id, policy_id) WHERE policy_id IS NOT NULL;

-- Each rung of each date once, for good.
CREATE TABLE alerts (
  renewal_id uuid NOT NULL REFERENCES renewals,
  due_date date NOT NULL,
  rung text COLLATE "C" NOT NULL CHECK (rung IN ('90', '60', '30', '14', '7', 'OVERDUE')),
  state text COLLATE "C" NOT NULL CHECK (state IN ('FIRED', 'SUPERSEDED')),
  days_until_due integer NOT NULL,
  -- Null: superseded without a run, by a changed date or at its creation.
  run_id uuid,
  decided_at timestamptz NOT NULL,
  PRIMARY KEY (renewal_id, due_date, rung)
);
CREATE INDEX alerts_of_run ON alerts (run_id) WHERE run_id IS NOT NULL;

-- What an alert led to on each channel, and what became of it.
CREATE TABLE alert_outcomes (
  renewal_id uuid NOT NULL,
  due_date date NOT NULL,
  rung text COLLATE "C" NOT NULL,
  channel text COLLATE "C" NOT NULL CHECK (channel IN ('MESSAGING_APP', 'EMAIL', 'SMS', 'TASK')),
  outcome text COLLATE "C" NOT NULL CHECK (outcome IN ('planned', 'not_sent', 'cancelled')),
  instead_of text COLLATE "C",
  reason jsonb,
  communication_id uuid,
  task_id uuid,
  send_after timestamptz,
  occurred_at timestamptz NOT NULL,
  -- The event that said so; of two of one instant the later one counts.
  told_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (renewal_id, due_date, rung, channel),
  FOREIGN KEY (renewal_id, due_date, rung) REFERENCES alerts
);

-- Messages about a renewal, as comms-service tells of them; the words stay there.
CREATE TABLE linked_messages (
  communication_id uuid PRIMARY KEY,
  -- Null: it was taken away from one, and what had put it there may yet be heard of.
  renewal_id uuid,
  type text COLLATE "C" NOT NULL,
  direction text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  in_reply_to uuid,
  occurred_at timestamptz NOT NULL,
  -- When comms-service last told of it, and by which event: an older word does not undo a newer one.
  told_at timestamptz NOT NULL,
  told_id text COLLATE "C" NOT NULL
);
CREATE INDEX linked_messages_of_renewal ON linked_messages (renewal_id, occurred_at DESC, communication_id DESC)
  WHERE renewal_id IS NOT NULL;
CREATE INDEX linked_messages_by_answered ON linked_messages (in_reply_to) WHERE in_reply_to IS NOT NULL;

-- The newest word of upstream systems about each policy and permit, and the renewal they were the first to be watched by.
-- What follows that one stands for it once it is closed.
CREATE TABLE upstream_words (
  kind text COLLATE "C" NOT NULL,
  source_id text COLLATE "C" NOT NULL,
  renewal_id uuid NOT NULL REFERENCES renewals,
  assigned_agent text COLLATE "C",
  told_at timestamptz NOT NULL,
  -- The event that said so; of two of one instant one counts, whichever came first.
  told_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (kind, source_id)
);

CREATE TABLE compliance_flags (
  id uuid PRIMARY KEY,
  customer_id text COLLATE "C" NOT NULL,
  renewal_id uuid NOT NULL REFERENCES renewals,
  due_date date NOT NULL,
  raised_at timestamptz NOT NULL,
  cleared_at timestamptz,
  cleared_because text CHECK (cleared_because IN ('completed', 'cancelled', 'date_changed')),
  CHECK ((cleared_at IS NULL) = (cleared_because IS NULL))
);
CREATE UNIQUE INDEX compliance_flags_open ON compliance_flags (renewal_id) WHERE cleared_at IS NULL;
CREATE INDEX compliance_flags_of_customer ON compliance_flags (customer_id, raised_at DESC, id DESC);

CREATE TABLE refresh_runs (
  id uuid PRIMARY KEY,
  as_of date NOT NULL,
  status text NOT NULL CHECK (status IN ('RUNNING', 'COMPLETED', 'FAILED', 'ABANDONED')),
  -- Null: nobody, it was the time of day.
  started_by text,
  -- The time of day it was for: of several replicas one runs.
  slot timestamptz UNIQUE,
  counts jsonb NOT NULL,
  failure text,
  started_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  finished_at timestamptz
);
CREATE UNIQUE INDEX refresh_runs_one_at_a_time ON refresh_runs ((true)) WHERE status = 'RUNNING';

-- Rows a run could not treat: left to the next one, and told.
CREATE TABLE refresh_set_aside (
  run_id uuid NOT NULL REFERENCES refresh_runs,
  renewal_id uuid NOT NULL REFERENCES renewals,
  error text NOT NULL,
  PRIMARY KEY (run_id, renewal_id)
);

-- One row. The date of the last completed refresh; it never goes back.
CREATE TABLE refreshed (
  id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  as_of date
);
INSERT INTO refreshed DEFAULT VALUES;

-- Renewals as they are read: no night has to write days until due into every row.
CREATE VIEW renewals_seen AS
  SELECT r.*, CASE WHEN r.closed_at IS NULL
                   THEN r.due_date - coalesce((SELECT f.as_of FROM refreshed f), r.created_on) END AS days_until_due
  FROM renewals r;

-- By which id the firm's own list knows renewals. When all that it stood for is closed, the list goes on with it: it stands
-- for several, one after the other. What follows one stands for it once it is closed. That they are of one customer and
-- service type is seen to by whoever writes them, one import at a time.
CREATE TABLE external_ids (
  external_id text COLLATE "C" NOT NULL,
  renewal_id uuid PRIMARY KEY REFERENCES renewals
);
CREATE INDEX external_ids_by_id ON external_ids (external_id);

-- By which id a renewal is known: its own, else that of the nearest it followed which has one. So it is one id's at most,
-- also where several lead to it.
CREATE FUNCTION external_id_of(renewal uuid) RETURNS text
  LANGUAGE sql STABLE PARALLEL SAFE
  BEGIN ATOMIC
    WITH RECURSIVE line AS (
      SELECT r.id, r.predecessor_id, e.external_id
      FROM renewals r LEFT JOIN external_ids e ON e.renewal_id = r.id
      WHERE r.id = renewal
      UNION
      SELECT p.id, p.predecessor_id, e.external_id
      FROM line l
      JOIN renewals p ON p.id = l.predecessor_id
      LEFT JOIN external_ids e ON e.renewal_id = p.id
      WHERE l.external_id IS NULL
    )
    SELECT l.external_id FROM line l WHERE l.external_id IS NOT NULL;
  END;
