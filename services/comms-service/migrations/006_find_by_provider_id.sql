-- Compared with ids that other tables hold in this collation: with another one no index helps.
DROP INDEX communications_by_provider_id;
ALTER TABLE communications ALTER provider_message_id TYPE text COLLATE "C";
CREATE INDEX communications_by_provider_id ON communications (provider_message_id)
  WHERE provider_message_id IS NOT NULL;
