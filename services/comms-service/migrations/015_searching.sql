-- The words of every communication, beside it: a row of `communications` is written anew with each step of its delivery, and an
-- index over its words with it. Written by a trigger, so that no path is forgotten, nor one of the version before.
CREATE TABLE communication_words (
  communication_id uuid PRIMARY KEY REFERENCES communications ON DELETE CASCADE,
  words tsvector NOT NULL
);
CREATE INDEX communication_words_found ON communication_words USING gin (words);

-- All that the log shows of it, also what it said before it was edited; nothing of what was struck out.
CREATE FUNCTION words_of_record(subject text, body text, amendments jsonb, struck boolean) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN struck THEN '' ELSE words_of(concat_ws(' ', subject, body,
  (SELECT string_agg(e ->> 'body', ' ') FROM jsonb_array_elements(amendments) AS e))) END;

CREATE FUNCTION keep_words() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  found tsvector := words_of_record(NEW.subject, NEW.body, NEW.amendments, NEW.struck);
BEGIN
  IF found = '' THEN
    DELETE FROM communication_words WHERE communication_id = NEW.id;
  ELSE
    INSERT INTO communication_words VALUES (NEW.id, found)
    ON CONFLICT (communication_id) DO UPDATE SET words = excluded.words;
  END IF;
  RETURN NULL;
END $$;

-- Customers by any part of their name, address or number, and by how their id begins.
CREATE INDEX IF NOT EXISTS customers_by_part_of_name ON customers USING gin (ends_of(name_folded));
CREATE INDEX IF NOT EXISTS customers_by_id_as_typed ON customers (lower(id));
CREATE INDEX IF NOT EXISTS identifiers_by_part ON identifiers USING gin (ends_of(value));

-- Last, since from here on nobody else writes a message until all is committed.
CREATE TRIGGER communications_words_of_new AFTER INSERT ON communications
  FOR EACH ROW WHEN (NEW.body <> '' OR NEW.subject <> '') EXECUTE FUNCTION keep_words();
CREATE TRIGGER communications_words_of_changed AFTER UPDATE OF subject, body, amendments, struck ON communications
  FOR EACH ROW WHEN (NEW.subject IS DISTINCT FROM OLD.subject OR NEW.body <> OLD.body
                     OR NEW.amendments <> OLD.amendments OR NEW.struck <> OLD.struck)
  EXECUTE FUNCTION keep_words();

-- Of what is there already a job writes the words, the newest first: from here down they are still to come. No row: all are there.
CREATE TABLE words_to_come (before uuid NOT NULL);
INSERT INTO words_to_come
SELECT 'ffffffff-ffff-ffff-ffff-ffffffffffff' WHERE EXISTS (SELECT FROM communications);
