-- Columns that changed nothing, since a person had said otherwise.
ALTER TABLE import_rows ADD COLUMN kept jsonb NOT NULL DEFAULT '[]';

-- Who has the rows taken in, with the request they asked by. Null: by the version before, which did not remember.
ALTER TABLE imports ADD COLUMN acting jsonb;
