-- What cannot be taken back is proposed by one admin, confirmed by another, and takes effect a day later.
CREATE TABLE proposals (
  id uuid PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('RETENTION')),
  subject_id text COLLATE "C" NOT NULL,
  status text NOT NULL CHECK (status IN ('PROPOSED', 'CONFIRMED', 'CALLED_OFF', 'DONE')),
  keep_days jsonb NOT NULL DEFAULT '{}',
  proposed_by text NOT NULL,
  proposed_at timestamptz NOT NULL,
  confirmed_by text,
  effective_at timestamptz,
  ended_by text,
  ended_at timestamptz,
  CHECK ((status IN ('CALLED_OFF', 'DONE')) = (ended_at IS NOT NULL)),
  CHECK (status = 'PROPOSED' OR status = 'CALLED_OFF' OR effective_at IS NOT NULL)
);
CREATE UNIQUE INDEX proposals_open ON proposals (kind, subject_id) WHERE status IN ('PROPOSED', 'CONFIRMED');
CREATE INDEX proposals_open_newest ON proposals (id) WHERE status IN ('PROPOSED', 'CONFIRMED');
