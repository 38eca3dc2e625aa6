-- Which of our mailboxes or numbers somebody wrote to, where they want answers, and what a mail server found out about who
-- they are. Of what came before this was kept nobody knows.
ALTER TABLE communications
  ADD COLUMN recipient text,
  ADD COLUMN reply_to text,
  ADD COLUMN sender_verified text;

-- A mail that is probably not from whom it says waits for somebody to say whose it is.
ALTER TABLE inbound_messages
  DROP CONSTRAINT inbound_messages_reason_check,
  ADD CONSTRAINT inbound_messages_reason_check CHECK (reason IN ('unknown', 'ambiguous', 'unverified'));
