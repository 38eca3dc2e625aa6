-- Who deals with an absent agent's things; and the version of the agent that others were told of last, so that all of them
-- are told once after this, and again of what the version before changes beside this one.
ALTER TABLE agents ADD COLUMN deputy text COLLATE "C", ADD COLUMN told integer NOT NULL DEFAULT 0;

-- Customers as comms-service last told of them. Without a version it was not heard of yet and is to be asked for; 0 says
-- that nobody knew the customer then.
CREATE TABLE followed_customers (
  customer_id text COLLATE "C" PRIMARY KEY,
  assigned_agent text COLLATE "C",
  version integer
);
CREATE INDEX followed_customers_to_ask ON followed_customers (customer_id) WHERE version IS NULL;
INSERT INTO followed_customers (customer_id) SELECT DISTINCT customer_id FROM tasks;

-- Whose a task is, before anybody stands in for them. The version before reads by `tasks_of_agent`; a later one drops it.
CREATE INDEX tasks_of_owner
  ON tasks (coalesce(assigned_agent, renewal_agent, customer_agent, ''), state_order, urgency, due_order, id);
