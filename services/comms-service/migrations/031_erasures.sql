-- The id of who was erased stays, and nothing else: nobody is given it again.
ALTER TABLE customers ADD COLUMN erased_at timestamptz;

CREATE TABLE erasures (
  id uuid PRIMARY KEY,
  customer_id text COLLATE "C" NOT NULL UNIQUE REFERENCES customers (id),
  -- Who else they were, and was erased with them.
  aliases text[] COLLATE "C" NOT NULL,
  proposal_id uuid NOT NULL REFERENCES proposals (id),
  erased_at timestamptz NOT NULL,
  -- What they are found by in all services. NULL once nothing is found any more.
  sought jsonb,
  places jsonb NOT NULL DEFAULT '[]',
  completed_at timestamptz,
  digest text,
  CHECK ((sought IS NULL) = (completed_at IS NOT NULL) AND (digest IS NULL) = (completed_at IS NULL))
);
CREATE INDEX erasures_under_way ON erasures (id) WHERE completed_at IS NULL;
CREATE INDEX proposals_of_subject ON proposals (kind, subject_id, id);
