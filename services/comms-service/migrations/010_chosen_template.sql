-- Of a message to the messaging app: the approved template somebody chose for it. Null: none was chosen.
ALTER TABLE communications ADD COLUMN template jsonb;
