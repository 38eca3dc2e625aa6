-- Files are read a piece at a time, for which they must not be compressed; most of them are so by their own making. Those that are
-- kept stay as they are, and are read all the same.
ALTER TABLE attachments ALTER COLUMN content SET STORAGE EXTERNAL;
-- How much somebody uploaded and did not send yet.
CREATE INDEX attachments_unsent ON attachments (created_by) INCLUDE (size) WHERE communication_id IS NULL;
