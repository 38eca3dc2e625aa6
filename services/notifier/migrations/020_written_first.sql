-- What somebody wrote has its hours from the beginning, and goes before what a night brings, whose hours begin with its first try.
CREATE INDEX sends_written_due ON sends (provider, next_try_at, position)
  WHERE status = 'QUEUED' AND expires_at IS NOT NULL;
