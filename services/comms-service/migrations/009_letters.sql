-- What a record is about besides `renewal_id`: a letter of the night names several renewals, and so do answers to it.
ALTER TABLE communications ADD COLUMN other_renewal_ids uuid[] NOT NULL DEFAULT '{}';
