-- A machine wrote it, such as an out-of-office reply: nobody's answer. Of what came before this was kept nobody knows.
ALTER TABLE communications ADD COLUMN automatic boolean NOT NULL DEFAULT false;
