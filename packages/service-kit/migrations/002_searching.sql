-- What searching has in common. Words are kept as they are looked for: lower case and without accents, in any alphabet.
-- Nothing of it needs an extension, which neither every server has nor every administrator may create.

-- Longer than any message is, and short enough for a row of words.
CREATE OR REPLACE FUNCTION folded(what text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN left(
  replace(regexp_replace(lower(normalize(what, NFKD) COLLATE "und-x-icu"), '[\u0300-\u036f]+', '', 'g'), 'ß', 'ss'),
  150000);

CREATE OR REPLACE FUNCTION words_in(what text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN array_remove(
  string_to_array(regexp_replace(folded(what) COLLATE "und-x-icu", '[^[:alnum:]]+', ' ', 'g'), ' '), '');

CREATE OR REPLACE FUNCTION words_of(what text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN array_to_tsvector(ARRAY(SELECT DISTINCT left(w, 64) FROM unnest(words_in(what)) AS w));

-- All of them; of three characters and more a word may go on. Null: there is none in it.
CREATE OR REPLACE FUNCTION words_asked(what text) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (
  SELECT string_agg('''' || left(w, 64) || '''' || CASE WHEN length(w) < 3 THEN '' ELSE ':*' END, ' & ')::tsquery
  FROM unnest(words_in(what)) AS w);

-- Whatever it ends with: what one of them begins with is somewhere in it. For names and numbers, which are short.
CREATE OR REPLACE FUNCTION ends_of(what text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN array_to_tsvector(ARRAY(
  SELECT DISTINCT left(substr(what, n), 64) FROM generate_series(1, length(what)) AS n));
