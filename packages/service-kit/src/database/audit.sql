-- Who changed what in a service, which adds to it and reads it and owns none of it. Safe to run again.

CREATE TABLE IF NOT EXISTS audit (
  id uuid PRIMARY KEY,
  -- Not when its transaction began: rows of one thing are in the order in which its changes took turns.
  at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  actor text NOT NULL,
  role text NOT NULL,
  client text,
  request_id text NOT NULL,
  action text NOT NULL,
  subject_kind text NOT NULL,
  subject_id text NOT NULL,
  customer_id text,
  -- Of each field a salted digest of its old and its new value: what was written can be proven after the values are gone.
  digests jsonb NOT NULL
);
CREATE INDEX IF NOT EXISTS audit_of_subject ON audit (subject_kind, subject_id, at, id);
DROP INDEX IF EXISTS audit_at;
CREATE INDEX IF NOT EXISTS audit_newest ON audit (at, id);
CREATE INDEX IF NOT EXISTS audit_of_customer ON audit (customer_id, at, id) WHERE customer_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS audit_of_actor ON audit (actor, at, id);

-- Beside the row, so that an erasure takes them and leaves it.
CREATE TABLE IF NOT EXISTS audit_values (
  audit_id uuid PRIMARY KEY REFERENCES audit ON DELETE CASCADE,
  salt text NOT NULL,
  changes jsonb NOT NULL
);

-- What the sealer has yet to seal is found without looking at what it has sealed.
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'audit'::regclass AND attname = 'sealed') THEN
    ALTER TABLE audit ADD COLUMN sealed boolean NOT NULL DEFAULT false;
  END IF;
END $$;
CREATE INDEX IF NOT EXISTS audit_unsealed ON audit (at, id) WHERE NOT sealed;

-- A chain over all rows, in the order in which they were found committed. It outlives them: nothing in it is anybody's.
CREATE TABLE IF NOT EXISTS audit_seals (
  seq bigint PRIMARY KEY,
  audit_id uuid NOT NULL UNIQUE,
  digest text NOT NULL,
  previous text NOT NULL,
  hash text NOT NULL,
  at timestamptz(3) NOT NULL,
  -- When the sealer had last found nothing more to seal: a row that says it is much older was not there then.
  looked_at timestamptz(3)
);

-- Where the chain ends: the next seal follows this and not the last one there is, so one that was taken away leaves a gap.
CREATE TABLE IF NOT EXISTS audit_head (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  seq bigint NOT NULL DEFAULT 0,
  hash text NOT NULL DEFAULT '',
  looked_at timestamptz(3)
);
INSERT INTO audit_head DEFAULT VALUES ON CONFLICT DO NOTHING;

-- One at a time, while rows go on being written. A row that commits late is sealed at a later turn, whatever its id or time.
-- What it makes of a row and of a seal, `chain.ts` of the kit makes again.
CREATE OR REPLACE FUNCTION seal_audit(most integer, OUT sealed_rows integer, OUT last_seq bigint, OUT last_hash text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  head audit_head;
  waiting record;
  began timestamptz(3);
  ids uuid[];
  digests text[];
  hashes text[];
BEGIN
  sealed_rows := 0;
  -- Otherwise a turn that finds nothing would write all the same.
  IF NOT EXISTS (SELECT FROM audit WHERE NOT sealed)
     AND EXISTS (SELECT FROM audit_head h WHERE h.looked_at > clock_timestamp() - interval '1 minute') THEN RETURN; END IF;
  SELECT * INTO head FROM audit_head FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN; END IF;
  began := clock_timestamp();
  last_hash := head.hash;
  FOR waiting IN
    SELECT a.id, encode(sha256(convert_to(jsonb_build_array(a.id, floor(extract(epoch FROM a.at) * 1000)::bigint, a.actor, a.role,
      a.client, a.request_id, a.action, a.subject_kind, a.subject_id, a.customer_id, a.digests)::text, 'UTF8')), 'hex') AS digest
    FROM audit a WHERE NOT a.sealed ORDER BY a.at, a.id LIMIT most
  LOOP
    sealed_rows := sealed_rows + 1;
    last_hash := encode(sha256(convert_to(concat_ws('|', last_hash, head.seq + sealed_rows, waiting.id, waiting.digest,
      floor(extract(epoch FROM began) * 1000)::bigint,
      coalesce(floor(extract(epoch FROM head.looked_at) * 1000)::bigint::text, '')), 'UTF8')), 'hex');
    ids[sealed_rows] := waiting.id;
    digests[sealed_rows] := waiting.digest;
    hashes[sealed_rows] := last_hash;
  END LOOP;
  -- Together: one by one, these two cost more than all that is made of the rows.
  INSERT INTO audit_seals (seq, audit_id, digest, previous, hash, at, looked_at)
    SELECT head.seq + n, s.id, s.digest, coalesce(lag(s.hash) OVER (ORDER BY n), head.hash), s.hash, began, head.looked_at
    FROM unnest(ids, digests, hashes) WITH ORDINALITY AS s (id, digest, hash, n);
  UPDATE audit SET sealed = true WHERE id = ANY (ids);
  last_seq := head.seq + sealed_rows;
  UPDATE audit_head SET seq = last_seq, hash = last_hash,
    looked_at = CASE WHEN sealed_rows < most THEN began ELSE head.looked_at END;
END $$;
REVOKE ALL ON FUNCTION seal_audit FROM public;

-- The only way a row goes. Seven years from its seal are the least that can be asked for, so what is younger stays whoever calls.
CREATE OR REPLACE FUNCTION remove_audit(ids uuid[]) RETURNS void LANGUAGE sql SECURITY DEFINER
BEGIN ATOMIC
  DELETE FROM audit a USING audit_seals s
  WHERE a.id = ANY (ids) AND s.audit_id = a.id AND s.at < now() - interval '2557 days';
END;
REVOKE ALL ON FUNCTION remove_audit FROM public;

-- The values of these rows and their salt, for whoever they are of is erased. The rows stay, with the digests.
CREATE OR REPLACE FUNCTION take_audit_values(ids uuid[]) RETURNS void LANGUAGE sql SECURITY DEFINER
BEGIN ATOMIC
  DELETE FROM audit_values WHERE audit_id = ANY (ids);
END;
REVOKE ALL ON FUNCTION take_audit_values FROM public;
