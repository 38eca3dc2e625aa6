-- When it came into its log, where the clocks of those who wrote the rows say otherwise than the order in which they were
-- taken in: what comes in after somebody's answer is not answered by it. Null: as `filed_at` or `created_at` say.
ALTER TABLE communications ADD COLUMN logged_at timestamptz;

-- Messages that customers wrote, by when they came into the log: what came after the last answer is at one end.
CREATE INDEX communications_to_answer ON communications
    (customer_id, (greatest(created_at, filed_at, logged_at)), id) INCLUDE (occurred_at)
  WHERE direction = 'INBOUND' AND NOT automatic AND NOT imported AND NOT amendments @> '[{"body": null}]';
-- What answers them: what a person had us send, for what was in the log by then; a call, and what was said with the app on the
-- firm's phone, for what was written by then.
CREATE INDEX communications_sent_by_people ON communications (customer_id, created_at)
  WHERE direction = 'OUTBOUND' AND NOT phone_app AND NOT automated AND status NOT IN ('FAILED', 'CANCELLED')
    AND NOT amendments @> '[{"body": null}]';
CREATE INDEX communications_said_elsewhere ON communications (customer_id, occurred_at)
  WHERE (phone_app OR type = 'CALL_LOG') AND NOT automatic AND NOT imported AND NOT struck
    AND status NOT IN ('FAILED', 'CANCELLED') AND NOT amendments @> '[{"body": null}]';

-- Who waits for an answer: a row for each customer who ever wrote or was answered. The triggers below keep it.
CREATE TABLE attention (
  customer_id text COLLATE "C" PRIMARY KEY REFERENCES customers,
  -- When the oldest message was written that nobody has answered. Null: the customer waits for nothing.
  waiting_since timestamptz,
  -- The last of those messages to come into the log, and its type.
  message_id uuid,
  type text COLLATE "C",
  -- The last record to come into the log of those that somebody was done with.
  done_at timestamptz,
  done_id uuid,
  -- Put off until then, unless one comes into the log after `snoozed_at`.
  snoozed_at timestamptz,
  snoozed_until timestamptz,
  -- The transaction that looked last because of what it had written: once at its end is enough, however much that was.
  looked_in xid8
);
CREATE INDEX attention_longest_waiting ON attention (waiting_since, customer_id) WHERE waiting_since IS NOT NULL;
CREATE INDEX attention_snoozed ON attention (snoozed_until) WHERE snoozed_until IS NOT NULL;

-- Up to when answers reach: what came into the log until `logged`, and what was written until `written`.
CREATE FUNCTION answered_until(whose text, OUT logged timestamptz, OUT written timestamptz) LANGUAGE sql STABLE AS $$
  SELECT
    (SELECT max(c.created_at) FROM communications c
     WHERE c.customer_id = whose AND c.direction = 'OUTBOUND' AND NOT c.phone_app AND NOT c.automated
       AND c.status NOT IN ('FAILED', 'CANCELLED') AND NOT c.amendments @> '[{"body": null}]'),
    (SELECT max(c.occurred_at) FROM communications c
     WHERE c.customer_id = whose AND (c.phone_app OR c.type = 'CALL_LOG') AND NOT c.automatic AND NOT c.imported
       AND NOT c.struck AND c.status NOT IN ('FAILED', 'CANCELLED') AND NOT c.amendments @> '[{"body": null}]')
$$;

-- The messages that nobody has answered.
CREATE FUNCTION unanswered(whose text, done_at timestamptz, done_id uuid)
  RETURNS TABLE (id uuid, type text, occurred_at timestamptz, came_at timestamptz) LANGUAGE sql STABLE AS $$
  SELECT c.id, c.type, c.occurred_at, greatest(c.created_at, c.filed_at, c.logged_at)
  FROM answered_until(whose) a
  JOIN communications c ON c.customer_id = whose
   AND greatest(c.created_at, c.filed_at, c.logged_at) >= greatest(a.logged, unanswered.done_at, '-infinity')
  WHERE c.direction = 'INBOUND' AND NOT c.automatic AND NOT c.imported AND NOT c.amendments @> '[{"body": null}]'
    AND (a.logged IS NULL OR greatest(c.created_at, c.filed_at, c.logged_at) > a.logged)
    AND (a.written IS NULL OR c.occurred_at > a.written)
    AND (unanswered.done_id IS NULL
         OR (greatest(c.created_at, c.filed_at, c.logged_at), c.id) > (unanswered.done_at, unanswered.done_id))
$$;

-- Brings the row of a customer up to date. All that change what it is made of take turns at the row, and each looks only once
-- its turn has come, so that the last one sees what all have done. `arrived`: a message that came into the log by this.
CREATE FUNCTION attend(whose text, arrived uuid DEFAULT NULL, looking_in xid8 DEFAULT NULL)
  RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  kept attention;
  ended timestamptz;
  newest_at timestamptz;
  is_late boolean := false;
BEGIN
  INSERT INTO attention (customer_id) VALUES (whose) ON CONFLICT DO NOTHING;
  SELECT * INTO kept FROM attention WHERE customer_id = whose FOR UPDATE;
  IF arrived IS NOT NULL THEN
    SELECT greatest(a.logged, kept.done_at, kept.snoozed_at) INTO ended FROM answered_until(whose) a;
    UPDATE communications SET logged_at = ended + interval '1 microsecond'
    WHERE id = arrived AND customer_id = whose AND greatest(created_at, filed_at, logged_at) <= ended;
    is_late := FOUND;
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

-- At the end of the transaction, when it holds all else that it needs: two that wait here for each other's customers would
-- deadlock otherwise. A trigger, since the version before writes records beside this one, and none may be forgotten.
-- It looks where the tables are, whoever changes them: an administrator's session looks elsewhere.
CREATE FUNCTION attend_to_record() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  one text;
  arrived boolean := NEW.direction = 'INBOUND';
  concerned text[] := ARRAY[NEW.customer_id];
BEGIN
  IF TG_OP = 'UPDATE' THEN
    arrived := arrived AND (NEW.customer_id IS DISTINCT FROM OLD.customer_id OR NEW.imported <> OLD.imported);
    concerned := concerned || OLD.customer_id;
  END IF;
  FOR one IN SELECT DISTINCT c.id COLLATE "C" FROM unnest(concerned) AS c (id) WHERE c.id IS NOT NULL ORDER BY 1 LOOP
    PERFORM attend(one, CASE WHEN arrived AND one = NEW.customer_id THEN NEW.id END, pg_current_xact_id());
  END LOOP;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER communications_attend_to_new AFTER INSERT ON communications DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.customer_id IS NOT NULL AND NEW.type <> 'INTERNAL_NOTE'
                     AND NOT NEW.automated AND NOT NEW.automatic AND NOT NEW.imported)
  EXECUTE FUNCTION attend_to_record();
CREATE CONSTRAINT TRIGGER communications_attend_to_changed
  AFTER UPDATE OF customer_id, status, struck, amendments, imported, automatic, occurred_at ON communications
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (
    NEW.type <> 'INTERNAL_NOTE' AND NOT NEW.automated
    AND (NEW.customer_id IS DISTINCT FROM OLD.customer_id OR NEW.struck <> OLD.struck OR NEW.imported <> OLD.imported
         OR NEW.automatic <> OLD.automatic OR NEW.occurred_at <> OLD.occurred_at
         OR (NEW.status IN ('FAILED', 'CANCELLED')) <> (OLD.status IN ('FAILED', 'CANCELLED'))
         OR (NEW.amendments @> '[{"body": null}]') <> (OLD.amendments @> '[{"body": null}]')))
  EXECUTE FUNCTION attend_to_record();

-- Of what is there already: by index, only what came after each customer's last answer is read. Most conversations end with
-- the customer's words: of what came so long ago somebody is taken to be done.
INSERT INTO attention (customer_id, waiting_since, message_id, type, done_at, done_id)
SELECT k.id, min(u.occurred_at) FILTER (WHERE NOT u.is_old),
       (array_agg(u.id ORDER BY u.came_at DESC, u.id DESC) FILTER (WHERE NOT u.is_old))[1],
       (array_agg(u.type ORDER BY u.came_at DESC, u.id DESC) FILTER (WHERE NOT u.is_old))[1],
       max(u.came_at) FILTER (WHERE u.is_old), (array_agg(u.id ORDER BY u.came_at DESC, u.id DESC) FILTER (WHERE u.is_old))[1]
FROM customers k
CROSS JOIN LATERAL (SELECT w.*, w.came_at < now() - interval '30 days' AS is_old FROM unanswered(k.id, NULL, NULL) w) u
GROUP BY k.id;
