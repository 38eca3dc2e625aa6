-- How often who asked within a minute, of all gateways together. The key is a digest with a secret of the gateways: nobody is named here. Not worth a
-- line of the journal: lost with the database, all begin to count anew.
CREATE UNLOGGED TABLE limits (
  key text PRIMARY KEY,
  hits integer NOT NULL,
  ends_at timestamptz NOT NULL
);
