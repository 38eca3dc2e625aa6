-- What the rows that would be taken in lead to, summed up. Null: of what leads to nothing, or was looked through by the version before.
ALTER TABLE imports ADD COLUMN forecast jsonb;
