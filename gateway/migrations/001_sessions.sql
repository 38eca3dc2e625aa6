-- One row for each sign-in of a browser. Who it is stands in the sealed cookie; here, whether it still counts.
CREATE TABLE sessions (
  id uuid PRIMARY KEY,
  sub text NOT NULL,
  role text NOT NULL,
  began_at timestamptz NOT NULL DEFAULT now(),
  -- When the person last showed to the identity provider who they are; null where it does not say.
  signed_in_at timestamptz,
  -- At most a minute behind.
  used_at timestamptz NOT NULL DEFAULT now(),
  ends_at timestamptz NOT NULL,
  ended_at timestamptz,
  browser text NOT NULL,
  address text NOT NULL
);

CREATE INDEX sessions_of_person ON sessions (sub, role) WHERE ended_at IS NULL;
-- What every gateway asks for each second.
CREATE INDEX sessions_ended ON sessions (ended_at) WHERE ended_at IS NOT NULL;
