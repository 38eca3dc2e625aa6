-- The schema `gateway` as its migrations leave it.

CREATE UNLOGGED TABLE limits (
  key text NOT NULL,
  hits integer NOT NULL,
  ends_at timestamp with time zone NOT NULL,
  CONSTRAINT limits_pkey PRIMARY KEY (key)
);

CREATE TABLE migrations (
  name text NOT NULL,
  checksum text NOT NULL,
  applied_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT migrations_pkey PRIMARY KEY (name)
);

CREATE TABLE sessions (
  id uuid NOT NULL,
  sub text NOT NULL,
  role text NOT NULL,
  began_at timestamp with time zone NOT NULL DEFAULT now(),
  signed_in_at timestamp with time zone,
  used_at timestamp with time zone NOT NULL DEFAULT now(),
  ends_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  browser text NOT NULL,
  address text NOT NULL,
  CONSTRAINT sessions_pkey PRIMARY KEY (id)
);
CREATE INDEX sessions_ended ON sessions (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX sessions_of_person ON sessions (sub, role) WHERE (ended_at IS NULL);
