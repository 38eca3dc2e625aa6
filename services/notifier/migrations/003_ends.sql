-- What became of an alert's messages, so that each alert either reaches the customer or becomes somebody's task.
ALTER TABLE alert_actions
  -- Of a message, the strongest that was heard of it: {status, attempt, failure, at}.
  ADD COLUMN heard jsonb,
  -- When it was given up, and another channel looked for: that is done once, however often staff have it sent again.
  ADD COLUMN given_up_at timestamptz,
  -- When to look what its alert came to, if nothing is heard before.
  ADD COLUMN look_again_at timestamptz;
CREATE INDEX alert_actions_to_look_at ON alert_actions (look_again_at) WHERE look_again_at IS NOT NULL;

-- Messages that left before this was kept, as far as their alert still counts. No other channel is tried for those that came
-- to nothing by now, perhaps weeks ago: where nothing reached the customer, there will be a task.
WITH last_sends AS (
  SELECT DISTINCT ON (s.communication_id) s.communication_id, s.attempt, s.status, s.failure,
    coalesce((SELECT max(t.ended_at) FROM send_tries t WHERE t.send_id = s.id), s.due_at) AS at
  FROM sends s JOIN alert_actions a ON a.id = s.communication_id
  JOIN followed_renewals f ON f.renewal_id = a.renewal_id AND f.due_date = a.due_date
  WHERE f.status IN ('UPCOMING', 'IN_PROGRESS', 'OVERDUE')
  ORDER BY s.communication_id, s.status IN ('DELIVERED', 'READ') DESC, s.attempt DESC
), known AS (
  SELECT l.*, CASE
    WHEN l.status = 'SENT' AND a.channel = 'MESSAGING_APP' THEN l.at + interval '72 hours'
    WHEN l.status = 'UNCERTAIN' THEN l.at + interval '24 hours'
    WHEN l.status = 'FAILED' THEN l.at END AS given_up_from
  FROM last_sends l JOIN alert_actions a ON a.id = l.communication_id
  WHERE l.status IN ('UNCERTAIN', 'SENT', 'FAILED', 'DELIVERED', 'READ')
)
UPDATE alert_actions a
SET heard = jsonb_build_object('status', k.status, 'attempt', k.attempt, 'failure', k.failure,
                               'at', to_char(k.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
    given_up_at = CASE WHEN k.given_up_from <= now() THEN now() END,
    look_again_at = CASE WHEN k.given_up_from IS NOT NULL THEN greatest(k.given_up_from, now()) END
FROM known k WHERE a.id = k.communication_id;
