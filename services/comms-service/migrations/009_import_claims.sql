-- How many began to work on it since it last came forward: who dies of it cannot say so.
ALTER TABLE imports ADD COLUMN claims integer NOT NULL DEFAULT 0;

-- As many rows are read at a time as there is room for.
ALTER TABLE import_rows ADD COLUMN bytes integer NOT NULL GENERATED ALWAYS AS (octet_length(cells::text)) STORED;
