-- As before, and nothing asked that is known to be in vain: most customers have their row, and of whom nobody answered no message can
-- have come too late. That update was planned anew for each message, because without an end its plan reads nothing.
CREATE OR REPLACE FUNCTION attend(whose text, arrived uuid DEFAULT NULL, looking_in xid8 DEFAULT NULL)
  RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  kept attention;
  as_id text;
  ended timestamptz;
  newest_at timestamptz;
  is_late boolean := false;
BEGIN
  SELECT * INTO kept FROM attention WHERE customer_id = whose FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO attention (customer_id) VALUES (whose) ON CONFLICT DO NOTHING;
    SELECT * INTO kept FROM attention WHERE customer_id = whose FOR UPDATE;
  END IF;
  IF arrived IS NOT NULL THEN
    SELECT coalesce(c.written_under, c.customer_id) INTO as_id FROM communications c WHERE c.id = arrived;
    SELECT greatest(a.logged, d.done_at, kept.snoozed_at) INTO ended
    FROM answered_until(whose, as_id) a LEFT JOIN attention d ON d.customer_id = as_id;
    IF ended IS NOT NULL THEN
      UPDATE communications SET logged_at = ended + interval '1 microsecond'
      WHERE id = arrived AND customer_id = whose AND greatest(created_at, filed_at, logged_at) <= ended;
      is_late := FOUND;
    END IF;
  END IF;
  IF kept.looked_in = looking_in AND NOT is_late THEN
    RETURN;
  END IF;
  SELECT min(u.occurred_at), max(u.came_at), (array_agg(u.id ORDER BY u.came_at DESC, u.id DESC))[1],
         (array_agg(u.type ORDER BY u.came_at DESC, u.id DESC))[1]
  INTO kept.waiting_since, newest_at, kept.message_id, kept.type
  FROM unanswered(whose, kept.done_at, kept.done_id) u;
  IF newest_at > kept.snoozed_at THEN
    kept.snoozed_until := NULL;
  END IF;
  UPDATE attention SET waiting_since = kept.waiting_since, message_id = kept.message_id, type = kept.type,
                       snoozed_until = kept.snoozed_until, looked_in = looking_in
  WHERE customer_id = whose;
END $$;
