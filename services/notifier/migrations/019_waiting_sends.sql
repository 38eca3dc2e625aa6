-- None waits by day, and all of a night's a moment later. A planner that saw that none waits takes reading all that do for reading one,
-- which a night did for each message it claimed. One that has seen nothing takes some to wait at any time.
ALTER TABLE sends ALTER COLUMN status SET STATISTICS 0;

-- What it saw before stays, unless it is taken away; below version 18 only a superuser may, from pg_statistic.
DO $$ BEGIN
  IF to_regprocedure('pg_clear_attribute_stats(text, text, text, boolean)') IS NOT NULL THEN
    PERFORM pg_clear_attribute_stats(current_schema(), 'sends', 'status', false);
  END IF;
END $$;
