-- Agents as notifier last told of them.
CREATE TABLE agents (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  absent_until date,
  deputy text COLLATE "C",
  version integer NOT NULL
);

-- Customers as comms-service last told of them. Without a version it was not heard of yet and is to be asked for; 0 says
-- that nobody knew the customer then.
CREATE TABLE followed_customers (
  customer_id text COLLATE "C" PRIMARY KEY,
  assigned_agent text COLLATE "C",
  version integer
);
CREATE INDEX followed_customers_to_ask ON followed_customers (customer_id) WHERE version IS NULL;

-- The customer's agent beside the renewal's own, so that a list of what is somebody's is read from an index.
ALTER TABLE renewals ADD COLUMN customer_agent text COLLATE "C";

-- A trigger, since the version before makes renewals beside this one. It holds the customer until the renewal is there:
-- whoever follows the customer to another agent comes before, or finds this renewal too.
CREATE FUNCTION know_customer_agent() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO followed_customers (customer_id) VALUES (NEW.customer_id) ON CONFLICT DO NOTHING;
  SELECT f.assigned_agent INTO NEW.customer_agent
  FROM followed_customers f WHERE f.customer_id = NEW.customer_id FOR SHARE;
  RETURN NEW;
END $$;
CREATE TRIGGER renewals_know_customer_agent BEFORE INSERT ON renewals
  FOR EACH ROW EXECUTE FUNCTION know_customer_agent();

INSERT INTO followed_customers (customer_id) SELECT DISTINCT customer_id FROM renewals;

-- The version before reads by `renewals_of_agent`; a later one drops it.
CREATE INDEX renewals_of_owner ON renewals (coalesce(assigned_agent, customer_agent, ''), due_date, id)
  WHERE closed_at IS NULL;

DROP VIEW renewals_seen;
CREATE VIEW renewals_seen AS
  SELECT r.*, CASE WHEN r.closed_at IS NULL
                   THEN r.due_date - coalesce((SELECT f.as_of FROM refreshed f), r.created_on) END AS days_until_due
  FROM renewals r;
