-- Who wrote an inbound message, as its provider named them: where its answer goes, and what is known of them should it
-- turn out that it was filed wrongly. Null: no provider brought it, or it was redacted.
ALTER TABLE communications ADD sender jsonb;
-- Only a link says that its sender is this customer; it was sent after that link, and is taken back with it.
ALTER TABLE communications ADD placed_by uuid;
CREATE INDEX communications_placed_by ON communications (placed_by) WHERE placed_by IS NOT NULL;
