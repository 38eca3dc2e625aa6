-- Agents as notifier last told of them.
CREATE TABLE agents (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  absent_until date,
  deputy text COLLATE "C",
  version integer NOT NULL
);
