-- What staff write with the app on the firm's phone, and what was said there before we listened. Whom it went to may be unknown, as
-- with what comes in.
ALTER TABLE communications
  ADD COLUMN phone_app boolean NOT NULL DEFAULT false,
  ADD COLUMN imported boolean NOT NULL DEFAULT false,
  ADD COLUMN forwarded boolean NOT NULL DEFAULT false,
  ADD COLUMN group_id text COLLATE "C",
  DROP CONSTRAINT communications_check3,
  ADD CONSTRAINT communications_whose CHECK (customer_id IS NOT NULL OR direction = 'INBOUND' OR phone_app);

-- Who changes a message is on the side that wrote it.
ALTER TABLE message_changes ADD COLUMN direction text COLLATE "C" NOT NULL DEFAULT 'INBOUND'
  CHECK (direction IN ('INBOUND', 'OUTBOUND'));

ALTER TABLE inbound_messages ADD COLUMN username text;
