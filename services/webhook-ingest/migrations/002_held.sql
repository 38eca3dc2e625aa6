-- Until then it stays, whatever its age: it brought what somebody on legal hold wrote.
ALTER TABLE deliveries ADD COLUMN held_until timestamptz;
