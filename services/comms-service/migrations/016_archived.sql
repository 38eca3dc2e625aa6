-- A former customer: out of the lists, still found and still known by their identifiers. Null: they are none.
ALTER TABLE customers ADD COLUMN archived_at timestamptz;

-- Former ones come behind all others, so that `customers_in_list_order` has both in one piece each; what begins there is beyond every
-- name.
ALTER TABLE customers DROP COLUMN sort_key;
ALTER TABLE customers ADD COLUMN sort_key text COLLATE "C" NOT NULL GENERATED ALWAYS AS
  (CASE WHEN archived_at IS NULL THEN '' ELSE U&'\+10FFFF' END || ltrim(left(name_folded, 64), U&'\+10FFFF')) STORED;
CREATE INDEX customers_in_list_order ON customers (sort_key, id);
