-- Of whom nothing is removed, by the id it was said of: a merged customer is on hold when any of their ids is.
CREATE TABLE legal_holds (
  customer_id text COLLATE "C" PRIMARY KEY REFERENCES customers (id),
  reason text NOT NULL,
  held_by text NOT NULL,
  held_at timestamptz NOT NULL
);
