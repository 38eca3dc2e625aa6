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

-- The id it was written under, where that is or was another than the customer it leads to. Of sends those that wait: one that is
-- over keeps nobody's order.
ALTER TABLE followed_renewals ADD COLUMN written_under text COLLATE "C";
ALTER TABLE tasks ADD COLUMN written_under text COLLATE "C";
ALTER TABLE sends ADD COLUMN written_under text COLLATE "C";
CREATE INDEX followed_renewals_of_customer ON followed_renewals (customer_id);
CREATE INDEX followed_renewals_written_under ON followed_renewals (written_under) WHERE written_under IS NOT NULL;
CREATE INDEX tasks_written_under ON tasks (written_under) WHERE written_under IS NOT NULL;
CREATE INDEX sends_written_under ON sends (written_under) WHERE written_under IS NOT NULL AND status = 'QUEUED';

-- A trigger, since the version before writes beside this one and knows of no merges. Whoever follows one comes before it, or
-- finds the row too.
CREATE FUNCTION belong_to_customer() RETURNS trigger LANGUAGE plpgsql AS $$
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
END $$;
CREATE TRIGGER followed_renewals_belong_to_customer BEFORE INSERT ON followed_renewals
  FOR EACH ROW EXECUTE FUNCTION belong_to_customer();
CREATE TRIGGER tasks_belong_to_customer BEFORE INSERT ON tasks
  FOR EACH ROW EXECUTE FUNCTION belong_to_customer();
CREATE TRIGGER sends_belong_to_customer BEFORE INSERT ON sends
  FOR EACH ROW WHEN (NEW.status = 'QUEUED') EXECUTE FUNCTION belong_to_customer();

-- What is done about a renewal's alerts is for whoever it belongs to. Whoever writes about it has locked it.
CREATE FUNCTION belong_to_renewal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.customer_id := coalesce(
    (SELECT f.customer_id FROM followed_renewals f WHERE f.renewal_id = NEW.renewal_id), NEW.customer_id);
  RETURN NEW;
END $$;
CREATE TRIGGER alert_actions_belong_to_renewal BEFORE INSERT ON alert_actions
  FOR EACH ROW EXECUTE FUNCTION belong_to_renewal();
CREATE FUNCTION take_actions_along() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE alert_actions SET customer_id = NEW.customer_id
  WHERE renewal_id = NEW.renewal_id AND customer_id <> NEW.customer_id;
  RETURN NULL;
END $$;
CREATE TRIGGER followed_renewals_take_actions_along AFTER UPDATE ON followed_renewals
  FOR EACH ROW WHEN (OLD.customer_id <> NEW.customer_id) EXECUTE FUNCTION take_actions_along();
