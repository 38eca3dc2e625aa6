-- The note of which a task tells its agent.
ALTER TABLE tasks ADD COLUMN communication_id uuid;
