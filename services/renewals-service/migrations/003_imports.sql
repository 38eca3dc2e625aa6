-- How many began to work on it since it last came forward: who dies of it cannot say so.
ALTER TABLE imports ADD COLUMN claims integer NOT NULL DEFAULT 0;

-- As many rows are read at a time as there is room for.
ALTER TABLE import_rows ADD COLUMN bytes integer NOT NULL GENERATED ALWAYS AS (octet_length(cells::text)) STORED;

-- A customer may have thousands of policies, and a file a row for each.
CREATE INDEX renewals_of_policy ON renewals (customer_id, policy_id) WHERE policy_id IS NOT NULL;
