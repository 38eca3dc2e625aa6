-- When all that an external id stood for is closed, the firm's list goes on with it: it stands for several, one after the
-- other. That they are of one customer and service type is seen to by whoever writes them, one import at a time.
ALTER TABLE external_ids
  DROP CONSTRAINT external_ids_pkey,
  DROP CONSTRAINT external_ids_renewal_id_key,
  ADD PRIMARY KEY (renewal_id);
CREATE INDEX external_ids_by_id ON external_ids (external_id);

-- By which id a renewal is known: its own, else that of the nearest it followed which has one. So it is one id's at most,
-- also where several lead to it.
CREATE FUNCTION external_id_of(renewal uuid) RETURNS text
  LANGUAGE sql STABLE PARALLEL SAFE
  BEGIN ATOMIC
    WITH RECURSIVE line AS (
      SELECT r.id, r.predecessor_id, e.external_id
      FROM renewals r LEFT JOIN external_ids e ON e.renewal_id = r.id
      WHERE r.id = renewal
      UNION
      SELECT p.id, p.predecessor_id, e.external_id
      FROM line l
      JOIN renewals p ON p.id = l.predecessor_id
      LEFT JOIN external_ids e ON e.renewal_id = p.id
      WHERE l.external_id IS NULL
    )
    SELECT l.external_id FROM line l WHERE l.external_id IS NOT NULL;
  END;
