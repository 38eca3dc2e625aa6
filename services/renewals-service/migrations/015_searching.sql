-- A number as it is looked for, however it is grouped: AB-12/34 is ab1234.
CREATE OR REPLACE FUNCTION number_of(what text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN left(array_to_string(words_in(what), ''), 200);

-- Renewals by any part of a policy's or permit's number.
CREATE INDEX IF NOT EXISTS renewals_by_part_of_number ON renewals USING gin (ends_of(number_of(coalesce(policy_id, '') || ' ' || coalesce(source_id, ''))))
  WHERE policy_id IS NOT NULL OR source_id IS NOT NULL;
