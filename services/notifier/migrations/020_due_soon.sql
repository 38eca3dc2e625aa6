-- What a night brings has no hours before its first try; all else is somebody's who may wait for it, and mostly goes first.
CREATE INDEX sends_due_soon ON sends (provider, next_try_at, position)
  WHERE status = 'QUEUED' AND (expires_at IS NOT NULL OR attempt > 1);
