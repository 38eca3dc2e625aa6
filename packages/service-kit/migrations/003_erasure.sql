-- How much of a person was erased here, counted in the transactions that erase it.
CREATE TABLE erasure_counts (
  erasure_id uuid NOT NULL,
  place text NOT NULL,
  rows bigint NOT NULL,
  PRIMARY KEY (erasure_id, place)
);

-- What was told of them and went from the outbox: whoever hears it later is to know it already.
CREATE TABLE erasure_events (
  erasure_id uuid NOT NULL,
  event_id text NOT NULL,
  PRIMARY KEY (erasure_id, event_id)
);
