-- The schema `comms` as its migrations leave it, beside what every service has (packages/service-kit/schema.sql).

CREATE OR REPLACE FUNCTION answered_until(whose text, as_id text, OUT logged timestamp with time zone, OUT written timestamp with time zone)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
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
END $function$;

CREATE OR REPLACE FUNCTION attend(whose text, arrived uuid DEFAULT NULL::uuid, looking_in xid8 DEFAULT NULL::xid8)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'comms', 'comms_audit'
AS $function$
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
END $function$;

CREATE OR REPLACE FUNCTION attend_to_record()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'comms', 'comms_audit'
AS $function$
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
END $function$;

CREATE OR REPLACE FUNCTION follow_alias()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'comms', 'comms_audit'
AS $function$
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
END $function$;

CREATE OR REPLACE FUNCTION ids_of(whose text)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
  RETURN whose || ARRAY(SELECT k.id FROM customers k WHERE k.leads_to = whose);
END $function$;

CREATE OR REPLACE FUNCTION keep_words()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'comms', 'comms_audit'
AS $function$
DECLARE
  found tsvector := words_of_record(NEW.subject, NEW.body, NEW.amendments, NEW.struck);
BEGIN
  IF found = '' THEN
    DELETE FROM communication_words WHERE communication_id = NEW.id;
  ELSE
    INSERT INTO communication_words VALUES (NEW.id, found)
    ON CONFLICT (communication_id) DO UPDATE SET words = excluded.words;
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION one_since(one text, other text)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
  WITH RECURSIVE up (start, id, since) AS (
    SELECT s.id COLLATE "C", s.id COLLATE "C", CAST('-infinity' AS timestamptz) FROM (VALUES (one), (other)) AS s (id)
    UNION ALL
    SELECT u.start, a.merged_into, greatest(u.since, a.merged_at)
    FROM up u JOIN customer_aliases a ON a.customer_id = u.id WHERE a.merged_into IS NOT NULL
  )
  SELECT min(greatest(l.since, r.since)) FROM up l JOIN up r ON r.id = l.id WHERE l.start = one AND r.start = other
$function$;

CREATE OR REPLACE FUNCTION sender_ends(address text, phone text, email text, name_folded text, username text)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ends_of("left"(((lower(((((((address || ' '::text) || COALESCE(phone, ''::text)) || ' '::text) || COALESCE(email, ''::text)) || ' '::text) || COALESCE(username, ''::text))) || ' '::text) || COALESCE(name_folded, ''::text)), 400));

CREATE OR REPLACE FUNCTION unanswered(whose text, done_at timestamp with time zone, done_id uuid)
 RETURNS TABLE(id uuid, type text, occurred_at timestamp with time zone, came_at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE ROWS 10
AS $function$
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
END $function$;

CREATE OR REPLACE FUNCTION unsettle()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  NEW.settled := NULL;
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION utc_text(at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN to_char((at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'::text);

CREATE OR REPLACE FUNCTION words_of_record(subject text, body text, amendments jsonb, struck boolean)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN struck THEN ''::tsvector ELSE words_of(concat_ws(' '::text, subject, body, (SELECT string_agg((e.value ->> 'body'::text), ' '::text) AS string_agg FROM jsonb_array_elements(words_of_record.amendments) e(value)))) END;

CREATE TABLE agents (
  id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  absent_until date,
  deputy text COLLATE "C",
  version integer NOT NULL,
  CONSTRAINT agents_pkey PRIMARY KEY (id)
);

CREATE TABLE answers (
  communication_id uuid NOT NULL,
  position integer NOT NULL,
  external_id text COLLATE "C",
  record_id uuid,
  CONSTRAINT answers_check CHECK (((external_id IS NULL) <> (record_id IS NULL))),
  CONSTRAINT answers_communication_id_fkey FOREIGN KEY (communication_id) REFERENCES communications(id),
  CONSTRAINT answers_pkey PRIMARY KEY (communication_id, "position")
);
CREATE INDEX answers_by_external_id ON answers (external_id) WHERE (external_id IS NOT NULL);

CREATE TABLE attachments (
  id uuid NOT NULL,
  communication_id uuid,
  customer_id text COLLATE "C",
  position integer NOT NULL DEFAULT 0,
  role text NOT NULL,
  name text,
  media_type text NOT NULL,
  size integer,
  content_id text,
  source text NOT NULL,
  provider text,
  ref text,
  state text NOT NULL,
  failure jsonb,
  tries integer NOT NULL DEFAULT 0,
  next_try_at timestamp with time zone,
  content bytea,
  created_by text,
  created_at timestamp with time zone NOT NULL,
  written_under text COLLATE "C",
  page text,
  page_rules text,
  CONSTRAINT attachments_role_check CHECK ((role = ANY (ARRAY['file'::text, 'html'::text, 'original'::text]))),
  CONSTRAINT attachments_source_check CHECK ((source = ANY (ARRAY['uploaded'::text, 'ingest'::text, 'provider'::text]))),
  CONSTRAINT attachments_state_check CHECK ((state = ANY (ARRAY['PENDING'::text, 'STORED'::text, 'FAILED'::text, 'REDACTED'::text]))),
  CONSTRAINT attachments_communication_id_fkey FOREIGN KEY (communication_id) REFERENCES communications(id),
  CONSTRAINT attachments_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(id),
  CONSTRAINT attachments_pkey PRIMARY KEY (id)
);
CREATE INDEX attachments_of_communication ON attachments (communication_id, "position") WHERE (communication_id IS NOT NULL);
CREATE INDEX attachments_to_fetch ON attachments (next_try_at) WHERE (state = 'PENDING'::text);
CREATE INDEX attachments_unsent ON attachments (created_by) INCLUDE (size) WHERE (communication_id IS NULL);
CREATE INDEX attachments_unused ON attachments (created_at) WHERE (communication_id IS NULL);
CREATE TRIGGER attachments_follow_alias BEFORE INSERT OR UPDATE OF customer_id ON attachments FOR EACH ROW WHEN ((new.customer_id IS NOT NULL)) EXECUTE FUNCTION follow_alias();

CREATE TABLE attention (
  customer_id text COLLATE "C" NOT NULL,
  waiting_since timestamp with time zone,
  message_id uuid,
  type text COLLATE "C",
  done_at timestamp with time zone,
  done_id uuid,
  snoozed_at timestamp with time zone,
  snoozed_until timestamp with time zone,
  looked_in xid8,
  change_id uuid,
  is_taken_back boolean NOT NULL DEFAULT false,
  left_done_id uuid,
  former_done_at timestamp with time zone,
  former_done_id uuid,
  former_snoozed_at timestamp with time zone,
  former_snoozed_until timestamp with time zone,
  CONSTRAINT attention_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(id),
  CONSTRAINT attention_pkey PRIMARY KEY (customer_id)
);
CREATE INDEX attention_longest_waiting ON attention (waiting_since, customer_id) WHERE (waiting_since IS NOT NULL);
CREATE INDEX attention_snoozed ON attention (snoozed_until) WHERE (snoozed_until IS NOT NULL);

CREATE TABLE canned_replies (
  owner text COLLATE "C" NOT NULL,
  replies jsonb NOT NULL,
  version integer NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  updated_by text NOT NULL,
  signature text,
  CONSTRAINT canned_replies_pkey PRIMARY KEY (owner)
);

CREATE TABLE communication_history (
  id uuid NOT NULL,
  communication_id uuid NOT NULL,
  change text NOT NULL,
  actor text,
  at timestamp with time zone NOT NULL,
  details jsonb NOT NULL,
  CONSTRAINT communication_history_change_check CHECK ((change = ANY (ARRAY['moved'::text, 'struck'::text, 'linked'::text, 'unlinked'::text, 'dismissed'::text, 'restored'::text, 'retried'::text, 'resolved'::text, 'delivery'::text, 'redacted'::text, 'changed'::text, 'called_back'::text, 'settled'::text]))),
  CONSTRAINT communication_history_communication_id_fkey FOREIGN KEY (communication_id) REFERENCES communications(id),
  CONSTRAINT communication_history_pkey PRIMARY KEY (id)
);
CREATE INDEX communication_history_of_record ON communication_history (communication_id, at);

CREATE TABLE communication_words (
  communication_id uuid NOT NULL,
  words tsvector NOT NULL,
  CONSTRAINT communication_words_communication_id_fkey FOREIGN KEY (communication_id) REFERENCES communications(id) ON DELETE CASCADE,
  CONSTRAINT communication_words_pkey PRIMARY KEY (communication_id)
);
CREATE INDEX communication_words_found ON communication_words USING gin (words);

CREATE TABLE communications (
  id uuid NOT NULL,
  customer_id text COLLATE "C",
  type text COLLATE "C" NOT NULL,
  direction text COLLATE "C" NOT NULL,
  subject text,
  body text NOT NULL,
  unread boolean NOT NULL,
  status text NOT NULL,
  author text,
  created_by text,
  in_reply_to uuid,
  renewal_id uuid,
  reactions jsonb NOT NULL DEFAULT '[]'::jsonb,
  provider text,
  provider_message_id text COLLATE "C",
  failure jsonb,
  struck boolean NOT NULL DEFAULT false,
  send_after timestamp with time zone,
  occurred_at timestamp with time zone NOT NULL,
  received_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  quoted text,
  amendments jsonb NOT NULL DEFAULT '[]'::jsonb,
  attempt integer,
  automated boolean NOT NULL DEFAULT false,
  redacted_at timestamp with time zone,
  filed_at timestamp with time zone,
  sender jsonb,
  placed_by uuid,
  template jsonb,
  automatic boolean NOT NULL DEFAULT false,
  recipient text,
  reply_to text,
  sender_verified text,
  claimed_at timestamp with time zone,
  phone_app boolean NOT NULL DEFAULT false,
  imported boolean NOT NULL DEFAULT false,
  forwarded boolean NOT NULL DEFAULT false,
  group_id text COLLATE "C",
  send_after_reason jsonb,
  other_renewal_ids uuid[] NOT NULL DEFAULT '{}'::uuid[],
  logged_at timestamp with time zone,
  leaving integer,
  settled jsonb,
  mentions text[] NOT NULL DEFAULT '{}'::text[],
  written_under text COLLATE "C",
  contacts jsonb NOT NULL DEFAULT '[]'::jsonb,
  place jsonb,
  CONSTRAINT communications_check CHECK (((direction = 'INTERNAL'::text) = (type = ANY (ARRAY['INTERNAL_NOTE'::text, 'CALL_LOG'::text])))),
  CONSTRAINT communications_check1 CHECK (((direction = 'INBOUND'::text) OR (NOT unread))),
  CONSTRAINT communications_check2 CHECK (((NOT struck) OR (direction = 'INTERNAL'::text))),
  CONSTRAINT communications_direction_check CHECK ((direction = ANY (ARRAY['INBOUND'::text, 'OUTBOUND'::text, 'INTERNAL'::text]))),
  CONSTRAINT communications_status_check CHECK ((status = ANY (ARRAY['RECEIVED'::text, 'LOGGED'::text, 'QUEUED'::text, 'SENT'::text, 'DELIVERED'::text, 'READ'::text, 'FAILED'::text, 'UNCERTAIN'::text, 'CANCELLED'::text]))),
  CONSTRAINT communications_type_check CHECK ((type = ANY (ARRAY['MESSAGING_APP'::text, 'EMAIL'::text, 'SMS'::text, 'INTERNAL_NOTE'::text, 'CALL_LOG'::text]))),
  CONSTRAINT communications_whose CHECK (((customer_id IS NOT NULL) OR (direction = 'INBOUND'::text) OR phone_app)),
  CONSTRAINT communications_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(id),
  CONSTRAINT communications_pkey PRIMARY KEY (id)
);
CREATE INDEX communications_about_renewals ON communications (customer_id, type, occurred_at DESC) WHERE ((direction = 'OUTBOUND'::text) AND (renewal_id IS NOT NULL));
CREATE INDEX communications_by_provider_id ON communications (provider_message_id) WHERE (provider_message_id IS NOT NULL);
CREATE INDEX communications_failed_open ON communications (occurred_at DESC, id DESC) WHERE ((status = ANY (ARRAY['FAILED'::text, 'UNCERTAIN'::text])) AND (settled IS NULL));
CREATE INDEX communications_in_list_order ON communications (customer_id, occurred_at DESC, id DESC);
CREATE INDEX communications_of_a_type ON communications (customer_id, type, occurred_at DESC, id DESC);
CREATE INDEX communications_placed_by ON communications (placed_by) WHERE (placed_by IS NOT NULL);
CREATE INDEX communications_said_elsewhere ON communications (customer_id, occurred_at) WHERE ((phone_app OR (type = 'CALL_LOG'::text)) AND (NOT automatic) AND (NOT imported) AND (NOT struck) AND (status <> ALL (ARRAY['FAILED'::text, 'CANCELLED'::text])) AND (NOT (amendments @> '[{"body": null}]'::jsonb)));
CREATE INDEX communications_sent_by_people ON communications (customer_id, created_at) WHERE ((direction = 'OUTBOUND'::text) AND (NOT phone_app) AND (NOT automated) AND (status <> ALL (ARRAY['FAILED'::text, 'CANCELLED'::text])) AND (NOT (amendments @> '[{"body": null}]'::jsonb)));
CREATE INDEX communications_to_answer ON communications (customer_id, GREATEST(created_at, filed_at, logged_at), id) INCLUDE (occurred_at) WHERE ((direction = 'INBOUND'::text) AND (NOT automatic) AND (NOT imported) AND (NOT (amendments @> '[{"body": null}]'::jsonb)));
CREATE INDEX communications_to_redact ON communications (type, GREATEST(occurred_at, received_at, created_at)) WHERE (redacted_at IS NULL);
CREATE INDEX communications_unread ON communications (customer_id, occurred_at DESC, id DESC) WHERE unread;
CREATE CONSTRAINT TRIGGER communications_attend_to_changed AFTER UPDATE OF customer_id, status, struck, amendments, imported, automatic, occurred_at ON communications DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.type <> 'INTERNAL_NOTE'::text) AND (NOT new.automated) AND ((COALESCE(new.written_under, new.customer_id) IS DISTINCT FROM COALESCE(old.written_under, old.customer_id)) OR (new.struck <> old.struck) OR (new.imported <> old.imported) OR (new.automatic <> old.automatic) OR (new.occurred_at <> old.occurred_at) OR ((new.status = ANY (ARRAY['FAILED'::text, 'CANCELLED'::text])) <> (old.status = ANY (ARRAY['FAILED'::text, 'CANCELLED'::text]))) OR ((new.amendments @> '[{"body": null}]'::jsonb) <> (old.amendments @> '[{"body": null}]'::jsonb))))) EXECUTE FUNCTION attend_to_record();
CREATE CONSTRAINT TRIGGER communications_attend_to_new AFTER INSERT ON communications DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.customer_id IS NOT NULL) AND (new.type <> 'INTERNAL_NOTE'::text) AND (NOT new.automated) AND (NOT new.automatic) AND (NOT new.imported))) EXECUTE FUNCTION attend_to_record();
CREATE TRIGGER communications_follow_alias BEFORE INSERT OR UPDATE OF customer_id ON communications FOR EACH ROW EXECUTE FUNCTION follow_alias();
CREATE TRIGGER communications_unsettle BEFORE UPDATE OF attempt ON communications FOR EACH ROW WHEN (((new.attempt IS DISTINCT FROM old.attempt) AND (old.settled IS NOT NULL))) EXECUTE FUNCTION unsettle();
CREATE TRIGGER communications_words_of_changed AFTER UPDATE OF subject, body, amendments, struck ON communications FOR EACH ROW WHEN (((new.subject IS DISTINCT FROM old.subject) OR (new.body <> old.body) OR (new.amendments <> old.amendments) OR (new.struck <> old.struck))) EXECUTE FUNCTION keep_words();
CREATE TRIGGER communications_words_of_new AFTER INSERT ON communications FOR EACH ROW WHEN (((new.body <> ''::text) OR (new.subject <> ''::text))) EXECUTE FUNCTION keep_words();

CREATE TABLE customer_aliases (
  customer_id text COLLATE "C" NOT NULL,
  merged_into text COLLATE "C",
  version integer NOT NULL,
  merged_at timestamp with time zone NOT NULL,
  filled jsonb NOT NULL DEFAULT '{}'::jsonb,
  link_id uuid NOT NULL,
  CONSTRAINT customer_aliases_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(id),
  CONSTRAINT customer_aliases_merged_into_fkey FOREIGN KEY (merged_into) REFERENCES customers(id),
  CONSTRAINT customer_aliases_pkey PRIMARY KEY (customer_id)
);
CREATE INDEX customer_aliases_of ON customer_aliases (merged_into) WHERE (merged_into IS NOT NULL);

CREATE TABLE customers (
  id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  name_folded text COLLATE "C" NOT NULL,
  locale text,
  time_zone text,
  assigned_agent text,
  preferred_channel text,
  do_not_contact boolean NOT NULL,
  version integer NOT NULL,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  sources jsonb NOT NULL DEFAULT '{}'::jsonb,
  archived_at timestamp with time zone,
  sort_key text COLLATE "C" NOT NULL GENERATED ALWAYS AS ((
CASE
    WHEN (archived_at IS NULL) THEN ''::text
    ELSE '􏿿'::text
END || ltrim("left"(name_folded, 64), '􏿿'::text))) STORED,
  leads_to text COLLATE "C",
  erased_at timestamp with time zone,
  CONSTRAINT customers_lead_elsewhere CHECK ((leads_to <> id)),
  CONSTRAINT customers_preferred_channel_check CHECK ((preferred_channel = ANY (ARRAY['MESSAGING_APP'::text, 'EMAIL'::text, 'SMS'::text]))),
  CONSTRAINT customers_leads_to_fkey FOREIGN KEY (leads_to) REFERENCES customers(id),
  CONSTRAINT customers_pkey PRIMARY KEY (id)
);
CREATE INDEX customers_by_id_as_typed ON customers (lower(id));
CREATE INDEX customers_by_number ON customers (((SUBSTRING(id FROM 3))::integer)) WHERE (id ~ '^C-[0-9]{1,9}$'::text);
CREATE INDEX customers_by_part_of_name ON customers USING gin (ends_of(name_folded));
CREATE INDEX customers_in_list_order ON customers (sort_key, id);
CREATE INDEX customers_leading_here ON customers (leads_to) WHERE (leads_to IS NOT NULL);

CREATE TABLE erasures (
  id uuid NOT NULL,
  customer_id text COLLATE "C" NOT NULL,
  aliases text[] COLLATE "C" NOT NULL,
  proposal_id uuid NOT NULL,
  erased_at timestamp with time zone NOT NULL,
  sought jsonb,
  places jsonb NOT NULL DEFAULT '[]'::jsonb,
  completed_at timestamp with time zone,
  digest text,
  CONSTRAINT erasures_check CHECK ((((sought IS NULL) = (completed_at IS NOT NULL)) AND ((digest IS NULL) = (completed_at IS NULL)))),
  CONSTRAINT erasures_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(id),
  CONSTRAINT erasures_proposal_id_fkey FOREIGN KEY (proposal_id) REFERENCES proposals(id),
  CONSTRAINT erasures_pkey PRIMARY KEY (id),
  CONSTRAINT erasures_customer_id_key UNIQUE (customer_id)
);
CREATE INDEX erasures_under_way ON erasures (id) WHERE (completed_at IS NULL);

CREATE TABLE identifiers (
  customer_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  value text COLLATE "C" NOT NULL,
  source text NOT NULL,
  position integer NOT NULL,
  link_id uuid,
  given_by text,
  brought_by text COLLATE "C",
  CONSTRAINT identifiers_given_by_check CHECK ((given_by = ANY (ARRAY['staff'::text, 'automation'::text, 'import'::text]))),
  CONSTRAINT identifiers_kind_check CHECK ((kind = ANY (ARRAY['phone'::text, 'email'::text, 'user_id'::text]))),
  CONSTRAINT identifiers_source_check CHECK ((source = ANY (ARRAY['given'::text, 'learned'::text]))),
  CONSTRAINT identifiers_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(id),
  CONSTRAINT identifiers_pkey PRIMARY KEY (customer_id, kind, value, source)
);
CREATE INDEX identifiers_brought ON identifiers (brought_by) WHERE (brought_by IS NOT NULL);
CREATE INDEX identifiers_by_part ON identifiers USING gin (ends_of(value));
CREATE INDEX identifiers_by_value ON identifiers (kind, value);
CREATE INDEX identifiers_of_link ON identifiers (link_id) WHERE (link_id IS NOT NULL);

CREATE TABLE import_chunks (
  import_id uuid NOT NULL,
  n integer NOT NULL,
  content bytea NOT NULL,
  CONSTRAINT import_chunks_import_id_fkey FOREIGN KEY (import_id) REFERENCES imports(id) ON DELETE CASCADE,
  CONSTRAINT import_chunks_pkey PRIMARY KEY (import_id, n)
);

CREATE TABLE import_rows (
  import_id uuid NOT NULL,
  line integer NOT NULL,
  cells jsonb NOT NULL,
  outcome text NOT NULL,
  key text COLLATE "C",
  record_id text COLLATE "C",
  errors jsonb NOT NULL DEFAULT '[]'::jsonb,
  bytes integer NOT NULL GENERATED ALWAYS AS (octet_length((cells)::text)) STORED,
  kept jsonb NOT NULL DEFAULT '[]'::jsonb,
  CONSTRAINT import_rows_outcome_check CHECK ((outcome = ANY (ARRAY['create'::text, 'change'::text, 'unchanged'::text, 'refused'::text, 'created'::text, 'changed'::text]))),
  CONSTRAINT import_rows_import_id_fkey FOREIGN KEY (import_id) REFERENCES imports(id) ON DELETE CASCADE,
  CONSTRAINT import_rows_pkey PRIMARY KEY (import_id, line)
);
CREATE INDEX import_rows_by_key ON import_rows (import_id, key) WHERE (key IS NOT NULL);
CREATE INDEX import_rows_to_do ON import_rows (import_id, line) WHERE (outcome = ANY (ARRAY['create'::text, 'change'::text]));

CREATE TABLE imports (
  id uuid NOT NULL,
  name text NOT NULL,
  status text NOT NULL,
  options jsonb NOT NULL,
  layout jsonb NOT NULL,
  apply boolean NOT NULL,
  counts jsonb NOT NULL,
  failure text,
  claim uuid,
  claimed_until timestamp with time zone,
  created_by text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  finished_at timestamp with time zone,
  claims integer NOT NULL DEFAULT 0,
  read_to jsonb,
  forecast jsonb,
  acting jsonb,
  CONSTRAINT imports_status_check CHECK ((status = ANY (ARRAY['CHECKING'::text, 'CHECKED'::text, 'RUNNING'::text, 'COMPLETED'::text, 'FAILED'::text]))),
  CONSTRAINT imports_pkey PRIMARY KEY (id)
);
CREATE INDEX imports_to_work_on ON imports (id) WHERE (status = ANY (ARRAY['CHECKING'::text, 'RUNNING'::text]));

CREATE TABLE inbound_messages (
  communication_id uuid NOT NULL,
  type text COLLATE "C" NOT NULL,
  reason text NOT NULL,
  sender_key text COLLATE "C" NOT NULL,
  address text NOT NULL,
  phone text,
  email text,
  user_id text,
  name text,
  name_folded text COLLATE "C",
  keys text[] COLLATE "C" NOT NULL,
  occurred_at timestamp with time zone NOT NULL,
  link_id uuid,
  linked_to text COLLATE "C",
  linked_by text,
  linked_at timestamp with time zone,
  username text,
  dismissed_at timestamp with time zone,
  dismissed_by text,
  CONSTRAINT inbound_messages_reason_check CHECK ((reason = ANY (ARRAY['unknown'::text, 'ambiguous'::text, 'unverified'::text]))),
  CONSTRAINT inbound_messages_communication_id_fkey FOREIGN KEY (communication_id) REFERENCES communications(id),
  CONSTRAINT inbound_messages_pkey PRIMARY KEY (communication_id)
);
CREATE INDEX inbound_messages_by_key ON inbound_messages USING gin (keys) WHERE (linked_at IS NULL);
CREATE INDEX inbound_messages_by_sender ON inbound_messages USING gin (sender_ends(address, phone, email, name_folded, username));
CREATE INDEX inbound_messages_dismissed ON inbound_messages (occurred_at DESC, communication_id DESC) WHERE ((dismissed_at IS NOT NULL) AND (linked_at IS NULL));
CREATE INDEX inbound_messages_linked ON inbound_messages (occurred_at DESC, communication_id DESC) WHERE (linked_at IS NOT NULL);
CREATE INDEX inbound_messages_of_link ON inbound_messages (link_id) WHERE (link_id IS NOT NULL);
CREATE INDEX inbound_messages_of_sender ON inbound_messages (type, sender_key) WHERE (linked_at IS NULL);
CREATE INDEX inbound_messages_waiting ON inbound_messages (occurred_at DESC, communication_id DESC) WHERE ((linked_at IS NULL) AND (dismissed_at IS NULL));

CREATE TABLE legal_holds (
  customer_id text COLLATE "C" NOT NULL,
  reason text NOT NULL,
  held_by text NOT NULL,
  held_at timestamp with time zone NOT NULL,
  CONSTRAINT legal_holds_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(id),
  CONSTRAINT legal_holds_pkey PRIMARY KEY (customer_id)
);

CREATE TABLE message_changes (
  id uuid NOT NULL,
  communication_id uuid,
  type text COLLATE "C" NOT NULL,
  target_external_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  sender text COLLATE "C" NOT NULL,
  content text,
  at timestamp with time zone NOT NULL,
  direction text COLLATE "C" NOT NULL DEFAULT 'INBOUND'::text,
  CONSTRAINT message_changes_direction_check CHECK ((direction = ANY (ARRAY['INBOUND'::text, 'OUTBOUND'::text]))),
  CONSTRAINT message_changes_kind_check CHECK ((kind = ANY (ARRAY['reaction'::text, 'edit'::text, 'withdrawal'::text]))),
  CONSTRAINT message_changes_communication_id_fkey FOREIGN KEY (communication_id) REFERENCES communications(id),
  CONSTRAINT message_changes_pkey PRIMARY KEY (id)
);
CREATE INDEX message_changes_by_age ON message_changes (type, at);
CREATE INDEX message_changes_of_record ON message_changes (communication_id) WHERE (communication_id IS NOT NULL);
CREATE INDEX message_changes_parked ON message_changes (target_external_id) WHERE (communication_id IS NULL);

CREATE TABLE opt_outs (
  communication_id uuid,
  customer_id text COLLATE "C",
  channel text COLLATE "C" NOT NULL,
  opted_out boolean NOT NULL,
  decided_at timestamp with time zone NOT NULL,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  address text COLLATE "C" NOT NULL DEFAULT ''::text,
  source text NOT NULL DEFAULT 'words'::text,
  actor text,
  reason text,
  written_under text COLLATE "C",
  CONSTRAINT opt_outs_source_check CHECK ((source = ANY (ARRAY['words'::text, 'provider'::text, 'complaint'::text, 'staff'::text]))),
  CONSTRAINT opt_outs_communication_id_fkey FOREIGN KEY (communication_id) REFERENCES communications(id),
  CONSTRAINT opt_outs_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(id),
  CONSTRAINT opt_outs_pkey PRIMARY KEY (id, address)
);
CREATE INDEX opt_outs_by_age ON opt_outs (channel, decided_at);
CREATE INDEX opt_outs_of_address ON opt_outs (address, channel, decided_at DESC) WHERE (address <> ''::text);
CREATE INDEX opt_outs_of_customer ON opt_outs (customer_id, channel, decided_at DESC);
CREATE INDEX opt_outs_of_record ON opt_outs (communication_id) WHERE (communication_id IS NOT NULL);
CREATE TRIGGER opt_outs_follow_alias BEFORE INSERT OR UPDATE OF customer_id ON opt_outs FOR EACH ROW EXECUTE FUNCTION follow_alias();

CREATE TABLE proposals (
  id uuid NOT NULL,
  kind text NOT NULL,
  subject_id text COLLATE "C" NOT NULL,
  status text NOT NULL,
  keep_days jsonb NOT NULL DEFAULT '{}'::jsonb,
  proposed_by text NOT NULL,
  proposed_at timestamp with time zone NOT NULL,
  confirmed_by text,
  effective_at timestamp with time zone,
  ended_by text,
  ended_at timestamp with time zone,
  reason text,
  aliases text[] COLLATE "C" NOT NULL DEFAULT '{}'::text[],
  CONSTRAINT proposals_ended CHECK (((status = ANY (ARRAY['PROPOSED'::text, 'CONFIRMED'::text])) = (ended_at IS NULL))),
  CONSTRAINT proposals_kind_check CHECK ((kind = ANY (ARRAY['RETENTION'::text, 'ERASURE'::text]))),
  CONSTRAINT proposals_status_check CHECK ((status = ANY (ARRAY['PROPOSED'::text, 'CONFIRMED'::text, 'CALLED_OFF'::text, 'DONE'::text, 'DECLINED'::text, 'EXPIRED'::text]))),
  CONSTRAINT proposals_waited CHECK (((status = ANY (ARRAY['PROPOSED'::text, 'CALLED_OFF'::text, 'EXPIRED'::text])) OR (effective_at IS NOT NULL))),
  CONSTRAINT proposals_pkey PRIMARY KEY (id)
);
CREATE INDEX proposals_in_vain ON proposals (ended_at) WHERE (status = ANY (ARRAY['DECLINED'::text, 'EXPIRED'::text]));
CREATE INDEX proposals_of_subject ON proposals (kind, subject_id, id);
CREATE UNIQUE INDEX proposals_open ON proposals (kind, subject_id) WHERE (status = ANY (ARRAY['PROPOSED'::text, 'CONFIRMED'::text]));
CREATE INDEX proposals_open_newest ON proposals (id) WHERE (status = ANY (ARRAY['PROPOSED'::text, 'CONFIRMED'::text]));

CREATE TABLE retention_policy (
  id smallint NOT NULL DEFAULT 1,
  keep_days jsonb NOT NULL,
  version integer NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  updated_by text,
  CONSTRAINT retention_policy_id_check CHECK ((id = 1)),
  CONSTRAINT retention_policy_pkey PRIMARY KEY (id)
);

CREATE TABLE retention_runs (
  id uuid NOT NULL,
  dry_run boolean NOT NULL,
  started_by text,
  slot timestamp with time zone,
  status text NOT NULL,
  as_of timestamp with time zone NOT NULL,
  places jsonb NOT NULL,
  failure text,
  finished_at timestamp with time zone NOT NULL,
  CONSTRAINT retention_runs_status_check CHECK ((status = ANY (ARRAY['completed'::text, 'failed'::text]))),
  CONSTRAINT retention_runs_pkey PRIMARY KEY (id),
  CONSTRAINT retention_runs_slot_key UNIQUE (slot)
);

CREATE TABLE timeline (
  event_id text COLLATE "C" NOT NULL,
  customer_id text COLLATE "C" NOT NULL,
  type text NOT NULL,
  occurred_at timestamp with time zone NOT NULL,
  communication_id uuid,
  data jsonb NOT NULL,
  written_under text COLLATE "C",
  CONSTRAINT timeline_pkey PRIMARY KEY (event_id)
);
CREATE INDEX timeline_in_list_order ON timeline (customer_id, occurred_at DESC, event_id DESC);
CREATE INDEX timeline_of_communication ON timeline (communication_id) WHERE (communication_id IS NOT NULL);
CREATE TRIGGER timeline_follow_alias BEFORE INSERT OR UPDATE OF customer_id ON timeline FOR EACH ROW EXECUTE FUNCTION follow_alias();

CREATE TABLE words_to_come (
  before uuid NOT NULL
);
