-- What of somebody's addresses an alias had brought, asked when the alias is erased.
CREATE INDEX identifiers_brought ON identifiers (brought_by) WHERE brought_by IS NOT NULL;
