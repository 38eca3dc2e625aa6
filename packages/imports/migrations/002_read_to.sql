-- How far the file was read, in bytes and lines. Null: begun by the version before, whose pieces are of the file as it was sent.
ALTER TABLE imports ADD COLUMN read_to jsonb;
