-- What an upstream system says of an expiry date is a statement.
ALTER TABLE upstream_words RENAME TO upstream_statements;
ALTER TABLE upstream_statements RENAME CONSTRAINT upstream_words_pkey TO upstream_statements_pkey;
ALTER TABLE upstream_statements RENAME CONSTRAINT upstream_words_renewal_id_fkey TO upstream_statements_renewal_id_fkey;

-- What the version before reads and writes while it runs beside this one. A later version drops it.
CREATE VIEW upstream_words AS SELECT * FROM upstream_statements;
