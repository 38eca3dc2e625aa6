-- Who wrote a message nobody could place, by any part of their number, address or name.
CREATE FUNCTION sender_ends(address text, phone text, email text, name_folded text, username text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ends_of(left(lower(address || ' ' || coalesce(phone, '') || ' ' || coalesce(email, '') || ' ' || coalesce(username, ''))
  || ' ' || coalesce(name_folded, ''), 400));

CREATE INDEX inbound_messages_by_sender ON inbound_messages
  USING gin (sender_ends(address, phone, email, name_folded, username));
