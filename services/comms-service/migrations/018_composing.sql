-- The agents whom a note names.
ALTER TABLE communications ADD COLUMN mentions text[] NOT NULL DEFAULT '{}';

-- What stands below somebody's e-mails.
ALTER TABLE canned_replies ADD COLUMN signature text;
