-- Customers who were entered twice: which of them another one is, as it was decided last. Rows stay when that is taken back, so that
-- whoever follows by `version` hears of it.
CREATE TABLE customer_aliases (
  customer_id text COLLATE "C" PRIMARY KEY REFERENCES customers,
  -- Who it is, as that was said, and may be an alias by now. Null: taken back.
  merged_into text COLLATE "C" REFERENCES customers,
  version integer NOT NULL,
  merged_at timestamptz NOT NULL,
  -- What the survivor got of this one: {field: value}.
  filled jsonb NOT NULL DEFAULT '{}',
  -- What files the messages that became clear by it in the survivor's log; a link like any other.
  link_id uuid NOT NULL
);

CREATE INDEX customer_aliases_of ON customer_aliases (merged_into) WHERE merged_into IS NOT NULL;

-- Where each alias leads, through all that were merged after it. Null: nowhere, it is who it is. Without a default: nobody's row
-- is written by this.
ALTER TABLE customers
  ADD COLUMN leads_to text COLLATE "C" REFERENCES customers,
  ADD CONSTRAINT customers_lead_elsewhere CHECK (leads_to <> id);
CREATE INDEX customers_leading_here ON customers (leads_to) WHERE leads_to IS NOT NULL;

-- A row of a customer is where the id leads that it was written under, always. Null: it was written under `customer_id`.
ALTER TABLE communications ADD COLUMN written_under text COLLATE "C";
ALTER TABLE timeline ADD COLUMN written_under text COLLATE "C";
ALTER TABLE attachments ADD COLUMN written_under text COLLATE "C";
ALTER TABLE opt_outs ADD COLUMN written_under text COLLATE "C";

-- The alias whose address somebody put among the survivor's own, such as to have it first: it goes back with the alias.
ALTER TABLE identifiers ADD COLUMN brought_by text COLLATE "C";

-- An id and all that lead to it. This one and those below that are asked of each record that is written are in a language that plans a
-- statement once a session.
CREATE FUNCTION ids_of(whose text) RETURNS text[] LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN whose || ARRAY(SELECT k.id FROM customers k WHERE k.leads_to = whose);
END $$;

-- Sees to it whoever writes, also the version before. Whoever merges holds the customer for themselves: one of the two has come
-- first, and this reads what it left.
CREATE FUNCTION follow_alias() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  home text;
BEGIN
  SELECT coalesce(k.leads_to, k.id) INTO home FROM customers k WHERE k.id = NEW.customer_id FOR KEY SHARE;
  IF NEW.written_under IS NOT NULL
     AND (SELECT coalesce(k.leads_to, k.id) FROM customers k WHERE k.id = NEW.written_under) IS DISTINCT FROM home THEN
    NEW.written_under := NULL;
  END IF;
  IF home <> NEW.customer_id THEN
    NEW.written_under := coalesce(NEW.written_under, NEW.customer_id);
    NEW.customer_id := home;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER communications_follow_alias BEFORE INSERT OR UPDATE OF customer_id ON communications
  FOR EACH ROW EXECUTE FUNCTION follow_alias();
CREATE TRIGGER timeline_follow_alias BEFORE INSERT OR UPDATE OF customer_id ON timeline
  FOR EACH ROW EXECUTE FUNCTION follow_alias();
CREATE TRIGGER attachments_follow_alias BEFORE INSERT OR UPDATE OF customer_id ON attachments
  FOR EACH ROW WHEN (NEW.customer_id IS NOT NULL) EXECUTE FUNCTION follow_alias();
CREATE TRIGGER opt_outs_follow_alias BEFORE INSERT OR UPDATE OF customer_id ON opt_outs
  FOR EACH ROW EXECUTE FUNCTION follow_alias();

-- Since when two ids of one customer have been one: what was said to either before that, the other one did not hear.
CREATE FUNCTION one_since(one text, other text) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  WITH RECURSIVE up (start, id, since) AS (
    SELECT s.id COLLATE "C", s.id COLLATE "C", CAST('-infinity' AS timestamptz) FROM (VALUES (one), (other)) AS s (id)
    UNION ALL
    SELECT u.start, a.merged_into, greatest(u.since, a.merged_at)
    FROM up u JOIN customer_aliases a ON a.customer_id = u.id WHERE a.merged_into IS NOT NULL
  )
  SELECT min(greatest(l.since, r.since)) FROM up l JOIN up r ON r.id = l.id WHERE l.start = one AND r.start = other
$$;

-- Up to when answers reach what was written under an id of this customer: what came into the log until `logged`, and what was
-- written until `written`. What was said under another id counts since the two have been one.
CREATE FUNCTION answered_until(whose text, as_id text, OUT logged timestamptz, OUT written timestamptz)
  LANGUAGE plpgsql STABLE AS $$
BEGIN
  logged := (
    SELECT max(c.created_at) FROM communications c
    WHERE c.customer_id = whose AND c.direction = 'OUTBOUND' AND NOT c.phone_app AND NOT c.automated
      AND c.status NOT IN ('FAILED', 'CANCELLED') AND NOT c.amendments @> '[{"body": null}]'
      AND (coalesce(c.written_under, c.customer_id) = as_id
           OR c.created_at >= one_since(as_id, coalesce(c.written_under, c.customer_id))));
  written := (
    SELECT max(c.occurred_at) FROM communications c
    WHERE c.customer_id = whose AND (c.phone_app OR c.type = 'CALL_LOG') AND NOT c.automatic AND NOT c.imported
      AND NOT c.struck AND c.status NOT IN ('FAILED', 'CANCELLED') AND NOT c.amendments @> '[{"body": null}]'
      AND (coalesce(c.written_under, c.customer_id) = as_id
           OR c.occurred_at >= one_since(as_id, coalesce(c.written_under, c.customer_id))));
END $$;

-- The messages that nobody has answered. Somebody is done with what was written under each id by the row of that id.
CREATE OR REPLACE FUNCTION unanswered(whose text, done_at timestamptz, done_id uuid)
  RETURNS TABLE (id uuid, type text, occurred_at timestamptz, came_at timestamptz)
  LANGUAGE plpgsql STABLE ROWS 10 AS $$
DECLARE
  as_id text;
  a record;
  up_to timestamptz;
  up_to_id uuid;
BEGIN
  FOREACH as_id IN ARRAY ids_of(whose) LOOP
    up_to := unanswered.done_at;
    up_to_id := unanswered.done_id;
    IF as_id <> whose THEN
      SELECT d.done_at, d.done_id INTO up_to, up_to_id FROM attention d WHERE d.customer_id = as_id;
    END IF;
    SELECT * INTO a FROM answered_until(whose, as_id);
    RETURN QUERY
      SELECT c.id, c.type, c.occurred_at, greatest(c.created_at, c.filed_at, c.logged_at)
      FROM communications c
      WHERE c.customer_id = whose AND coalesce(c.written_under, c.customer_id) = as_id
        AND greatest(c.created_at, c.filed_at, c.logged_at) >= greatest(a.logged, up_to, '-infinity')
        AND c.direction = 'INBOUND' AND NOT c.automatic AND NOT c.imported AND NOT c.amendments @> '[{"body": null}]'
        AND (a.logged IS NULL OR greatest(c.created_at, c.filed_at, c.logged_at) > a.logged)
        AND (a.written IS NULL OR c.occurred_at > a.written)
        AND (up_to_id IS NULL OR (greatest(c.created_at, c.filed_at, c.logged_at), c.id) > (up_to, up_to_id));
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION attend(whose text, arrived uuid DEFAULT NULL, looking_in xid8 DEFAULT NULL)
  RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  kept attention;
  as_id text;
  ended timestamptz;
  newest_at timestamptz;
  is_late boolean := false;
BEGIN
  INSERT INTO attention (customer_id) VALUES (whose) ON CONFLICT DO NOTHING;
  SELECT * INTO kept FROM attention WHERE customer_id = whose FOR UPDATE;
  IF arrived IS NOT NULL THEN
    SELECT coalesce(c.written_under, c.customer_id) INTO as_id FROM communications c WHERE c.id = arrived;
    SELECT greatest(a.logged, d.done_at, kept.snoozed_at) INTO ended
    FROM answered_until(whose, as_id) a LEFT JOIN attention d ON d.customer_id = as_id;
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
DROP FUNCTION answered_until(text);

-- A merge brings nothing new: whoever merges looks at who waits by themselves.
CREATE OR REPLACE FUNCTION attend_to_record() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  one text;
  arrived boolean := NEW.direction = 'INBOUND';
  concerned text[] := ARRAY[NEW.customer_id];
BEGIN
  IF TG_OP = 'UPDATE' THEN
    arrived := arrived
               AND (coalesce(NEW.written_under, NEW.customer_id) IS DISTINCT FROM coalesce(OLD.written_under, OLD.customer_id)
                    OR NEW.imported <> OLD.imported);
    concerned := concerned || OLD.customer_id;
  END IF;
  FOR one IN SELECT DISTINCT c.id COLLATE "C" FROM unnest(concerned) AS c (id) WHERE c.id IS NOT NULL ORDER BY 1 LOOP
    PERFORM attend(one, CASE WHEN arrived AND one = NEW.customer_id THEN NEW.id END, pg_current_xact_id());
  END LOOP;
  RETURN NULL;
END $$;
DROP TRIGGER communications_attend_to_changed ON communications;
CREATE CONSTRAINT TRIGGER communications_attend_to_changed
  AFTER UPDATE OF customer_id, status, struck, amendments, imported, automatic, occurred_at ON communications
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (
    NEW.type <> 'INTERNAL_NOTE' AND NOT NEW.automated
    AND (coalesce(NEW.written_under, NEW.customer_id) IS DISTINCT FROM coalesce(OLD.written_under, OLD.customer_id)
         OR NEW.struck <> OLD.struck OR NEW.imported <> OLD.imported
         OR NEW.automatic <> OLD.automatic OR NEW.occurred_at <> OLD.occurred_at
         OR (NEW.status IN ('FAILED', 'CANCELLED')) <> (OLD.status IN ('FAILED', 'CANCELLED'))
         OR (NEW.amendments @> '[{"body": null}]') <> (OLD.amendments @> '[{"body": null}]')))
  EXECUTE FUNCTION attend_to_record();
