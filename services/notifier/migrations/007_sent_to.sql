-- To whom an attempt went, and whom a mail server's report is about: a report on somebody else says nothing of it. Of what
-- came before this was kept nobody knows.
ALTER TABLE sends ADD COLUMN sent_to text COLLATE "C";
ALTER TABLE send_receipts ADD COLUMN recipients text[] COLLATE "C";
