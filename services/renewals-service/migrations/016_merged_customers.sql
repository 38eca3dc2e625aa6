-- Ids of customers who turned out to be another one; without one, an id is its own again. The newest version counts.
CREATE TABLE customer_aliases (
  customer_id text COLLATE "C" PRIMARY KEY,
  merged_into text COLLATE "C",
  version integer NOT NULL
);
CREATE INDEX customer_aliases_by_lead ON customer_aliases (merged_into) WHERE merged_into IS NOT NULL;

-- Whom an id leads to. Until all that was decided is heard the line may close: it ends before it does.
CREATE FUNCTION leads_to(customer text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  WITH RECURSIVE line (id, path) AS (
    SELECT customer COLLATE "C", ARRAY[customer COLLATE "C"]
    UNION ALL
    SELECT a.merged_into, l.path || a.merged_into
    FROM line l JOIN customer_aliases a ON a.customer_id = l.id
    WHERE a.merged_into <> ALL (l.path)
  ) SELECT id FROM line ORDER BY cardinality(path) DESC LIMIT 1;
END;

-- What whoever follows a merge holds alone, and whoever writes for a customer together with the others who do.
CREATE FUNCTION merges_lock() RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE
RETURN hashtextextended(current_schema() || ' merges of customers', 0);

-- The id it was written under, where that is or was another than the customer it leads to.
ALTER TABLE renewals ADD COLUMN written_under text COLLATE "C";
CREATE INDEX renewals_written_under ON renewals (written_under) WHERE written_under IS NOT NULL;

-- By triggers, since the version before writes beside this one and knows of no merges. Whoever follows one comes before the
-- statement, or finds what it inserts too.
CREATE FUNCTION hold_merges() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(merges_lock());
  RETURN NULL;
END $$;
CREATE TRIGGER renewals_hold_merges BEFORE INSERT ON renewals
  FOR EACH STATEMENT EXECUTE FUNCTION hold_merges();

-- As before, of whom the id leads to. Of nearly all ids nothing was decided, and many rows come at once.
CREATE OR REPLACE FUNCTION know_customer_agent() RETURNS trigger LANGUAGE plpgsql AS $$
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
END $$;

DROP VIEW renewals_seen;
CREATE VIEW renewals_seen AS
  SELECT r.*, CASE WHEN r.closed_at IS NULL
                   THEN r.due_date - coalesce((SELECT f.as_of FROM refreshed f), r.created_on) END AS days_until_due
  FROM renewals r;
