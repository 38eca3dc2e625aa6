-- Why a renewal is not to be renewed. The version before gives no reason.
ALTER TABLE renewals
  ADD COLUMN cancel_reason text COLLATE "C"
    CHECK (cancel_reason IN ('lost', 'not_needed', 'duplicate', 'upstream', 'other')),
  ADD COLUMN cancel_note text;
DROP VIEW renewals_seen;
CREATE VIEW renewals_seen AS
  SELECT r.*, CASE WHEN r.closed_at IS NULL
                   THEN r.due_date - coalesce((SELECT f.as_of FROM refreshed f), r.created_on) END AS days_until_due
  FROM renewals r;

-- The newest word of upstream that a policy or permit has ended, told of before or not.
CREATE TABLE upstream_endings (
  kind text COLLATE "C" NOT NULL,
  source_id text COLLATE "C" NOT NULL,
  told_at timestamptz NOT NULL,
  told_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (kind, source_id)
);

-- What has to do with a policy or permit that ends, whoever's it is.
CREATE INDEX renewals_of_source ON renewals (source_id, source_kind) WHERE source_id IS NOT NULL;
CREATE INDEX renewals_naming_policy ON renewals (policy_id) WHERE policy_id IS NOT NULL AND closed_at IS NULL;
