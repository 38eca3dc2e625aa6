-- Tasks by the words in them.
CREATE INDEX IF NOT EXISTS tasks_by_words ON tasks USING gin (words_of(title || ' ' || coalesce(notes, '')));
