-- Being done with a customer, or putting them off, can be taken back: what there was before it stays beside what it changed.
ALTER TABLE attention
  -- The last such change; null: there was none.
  ADD COLUMN change_id uuid,
  ADD COLUMN is_taken_back boolean NOT NULL DEFAULT false,
  -- `done_id` as it left it. Where that is another one by now, somebody was done who knew nothing of changes.
  ADD COLUMN left_done_id uuid,
  ADD COLUMN former_done_at timestamptz,
  ADD COLUMN former_done_id uuid,
  ADD COLUMN former_snoozed_at timestamptz,
  ADD COLUMN former_snoozed_until timestamptz;
