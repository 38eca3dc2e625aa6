-- Words that are written again and again: a list of each agent's own, and, where `owner` is empty, one for everybody.
CREATE TABLE canned_replies (
  owner text COLLATE "C" PRIMARY KEY,
  replies jsonb NOT NULL,
  version integer NOT NULL,
  updated_at timestamptz NOT NULL,
  updated_by text NOT NULL
);
