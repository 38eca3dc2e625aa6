-- What a task remembers to stand as its renewal does.

ALTER TABLE tasks
  -- Whose its renewal was when it was last looked at: it goes along when that is given to another.
  ADD COLUMN renewal_agent text COLLATE "C",
  -- The due date it was closed for, which was so far away that its own alerts come.
  ADD COLUMN put_off_to date;

UPDATE tasks t SET put_off_to = f.due_date
FROM followed_renewals f WHERE f.renewal_id = t.renewal_id AND t.closed_because = 'due_date_changed';
