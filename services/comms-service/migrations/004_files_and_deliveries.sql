-- Uploaded files that no communication came to name, so that they can be found and removed.
CREATE INDEX attachments_unused ON attachments (created_at) WHERE communication_id IS NULL;
