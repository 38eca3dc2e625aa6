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
  CHECK ((status = 'OPEN') = (closed_at IS NULL)),
  CHECK ((rung IS NULL) = (alerted_date IS NULL)),
  CHECK (rung IS NULL OR renewal_id IS NOT NULL)
);
CREATE UNIQUE INDEX tasks_open_of_alert ON tasks (renewal_id) WHERE status = 'OPEN' AND rung IS NOT NULL;
CREATE INDEX tasks_most_urgent ON tasks (state_order, urgency, due_order, id);
CREATE INDEX tasks_of_agent ON tasks (assigned_agent, state_order, urgency, due_order, id);
CREATE INDEX tasks_of_customer ON tasks (customer_id, state_order, urgency, due_order, id);
CREATE INDEX tasks_of_renewal ON tasks (renewal_id, state_order, urgency, due_order, id) WHERE renewal_id IS NOT NULL;
