-- Whose the renewal of a task was when it was last looked at: the task goes along when the renewal is given to another.
ALTER TABLE tasks ADD COLUMN renewal_agent text COLLATE "C";
