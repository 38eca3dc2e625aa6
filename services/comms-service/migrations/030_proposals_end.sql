-- What is proposed may be of a customer, may turn out not to be possible when its day has passed, and does not wait for ever.
ALTER TABLE proposals
  ADD COLUMN reason text,
  -- Who else the customer was when it was proposed: nobody more goes than was confirmed.
  ADD COLUMN aliases text[] COLLATE "C" NOT NULL DEFAULT '{}',
  DROP CONSTRAINT proposals_kind_check,
  DROP CONSTRAINT proposals_status_check,
  DROP CONSTRAINT proposals_check,
  DROP CONSTRAINT proposals_check1,
  ADD CONSTRAINT proposals_kind_check CHECK (kind IN ('RETENTION', 'ERASURE')),
  ADD CONSTRAINT proposals_status_check
    CHECK (status IN ('PROPOSED', 'CONFIRMED', 'CALLED_OFF', 'DONE', 'DECLINED', 'EXPIRED')),
  ADD CONSTRAINT proposals_ended CHECK ((status IN ('PROPOSED', 'CONFIRMED')) = (ended_at IS NULL)),
  ADD CONSTRAINT proposals_waited CHECK (status IN ('PROPOSED', 'CALLED_OFF', 'EXPIRED') OR effective_at IS NOT NULL);
CREATE INDEX proposals_in_vain ON proposals (ended_at) WHERE status IN ('DECLINED', 'EXPIRED');
