-- What a task remembers to stand as its renewal does.

ALTER TABLE tasks
  -- The due date it was closed for, which was so far away that its own alerts come.
  ADD COLUMN put_off_to date,
  -- Whose its renewal was when it was last looked at, and the customer's agent as last known.
  ADD COLUMN renewal_agent text COLLATE "C",
  ADD COLUMN customer_agent text COLLATE "C",
  -- Who got it by itself: it goes along when the renewal is given to another, unless a person gave it to somebody.
  ADD COLUMN given_to text COLLATE "C";

-- Of what is there already: who has both the renewal and its task got the task by itself.
UPDATE tasks t
SET renewal_agent = f.assigned_agent,
    given_to = CASE WHEN t.assigned_agent = f.assigned_agent THEN t.assigned_agent END,
    put_off_to = CASE WHEN t.closed_because = 'due_date_changed' THEN f.due_date END
FROM followed_renewals f WHERE f.renewal_id = t.renewal_id AND t.rung IS NOT NULL;
