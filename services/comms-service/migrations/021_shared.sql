-- What a message passes on besides its words: cards of people, and a place.
ALTER TABLE communications
  ADD COLUMN contacts jsonb NOT NULL DEFAULT '[]',
  ADD COLUMN place jsonb;
