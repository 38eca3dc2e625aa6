-- The version of a task that others were told of last, so that all open ones are told of once after this, and again of what the
-- version before changes beside this one. What was closed before that concerns nobody.
ALTER TABLE tasks ADD COLUMN told integer NOT NULL DEFAULT 0;
CREATE INDEX tasks_untold ON tasks (id) WHERE told < version AND (status = 'OPEN' OR told > 0);
