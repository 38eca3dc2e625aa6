-- What was asked for about messages of machines is kept by address. A row of the version before says nothing of an address,
-- and counts for all that its customer has on the channel; so does what a person wrote down.
ALTER TABLE opt_outs
  DROP CONSTRAINT opt_outs_pkey,
  ALTER COLUMN communication_id DROP NOT NULL,
  -- Of one decision: the record's, the item's or one of its own. It has a row for each address its sender goes by.
  ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid(),
  -- The key of an identifier, in the one form that all ways of writing it have in common. Empty: all of the customer's.
  ADD COLUMN address text COLLATE "C" NOT NULL DEFAULT '',
  ADD COLUMN source text NOT NULL DEFAULT 'words' CHECK (source IN ('words', 'provider', 'complaint', 'staff')),
  ADD COLUMN actor text,
  ADD COLUMN reason text;
UPDATE opt_outs SET id = communication_id;
ALTER TABLE opt_outs ADD PRIMARY KEY (id, address);
CREATE INDEX opt_outs_of_address ON opt_outs (address, channel, decided_at DESC) WHERE address <> '';
CREATE INDEX opt_outs_by_age ON opt_outs (channel, decided_at);
CREATE INDEX opt_outs_of_record ON opt_outs (communication_id) WHERE communication_id IS NOT NULL;
