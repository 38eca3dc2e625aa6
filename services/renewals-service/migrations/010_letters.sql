-- How many alerts a run told of: who makes letters of them knows by it when there are no more to come.
ALTER TABLE refresh_runs ADD COLUMN alerts integer NOT NULL DEFAULT 0;

-- What a message is about besides `renewal_id`, and the version of each of them when it was linked to that.
ALTER TABLE linked_messages
  ADD COLUMN other_renewal_ids uuid[] NOT NULL DEFAULT '{}',
  ADD COLUMN other_versions integer[] NOT NULL DEFAULT '{}';
CREATE INDEX linked_messages_of_others ON linked_messages USING gin (other_renewal_ids) WHERE other_renewal_ids <> '{}';
