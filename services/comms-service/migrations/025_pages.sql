-- The HTML of a mail as it may be shown, and the rules it was made by: `page` is null where these cannot make it harmless.
ALTER TABLE attachments ADD COLUMN page text, ADD COLUMN page_rules text;
