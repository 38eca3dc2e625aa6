-- Renewals whose newest alert met a customer whom nobody had described, which an earlier version did not note. It is noted what
-- has become known of the customer by now; the day is any that has come, for the next refresh to look at it.
WITH newest AS (
  SELECT DISTINCT ON (a.renewal_id) a.renewal_id, a.due_date, a.rung, a.step
  FROM alerts a JOIN renewals r ON r.id = a.renewal_id
  WHERE r.closed_at IS NULL AND r.known_after_alert IS NULL AND a.state = 'FIRED'
  ORDER BY a.renewal_id, a.decided_at DESC
), unheard AS (
  SELECT DISTINCT n.renewal_id FROM newest n JOIN alert_outcomes o USING (renewal_id, due_date, rung, step)
  WHERE o.channel <> 'TASK' AND o.reason ->> 'code' = 'unknown_customer'
)
UPDATE renewals r
SET known_after_alert = f.version IS NOT NULL AND f.version > 0,
    next_alert_on = CASE WHEN f.version > 0 THEN least(r.next_alert_on, r.created_on) ELSE r.next_alert_on END
FROM unheard u, followed_customers f
WHERE r.id = u.renewal_id AND f.customer_id = r.customer_id;
