-- None waits by day, and all of a night's a moment later. A planner that saw that none waits takes reading all that do for reading one,
-- which a night did for each message it claimed. One that has seen nothing takes some to wait at any time.
ALTER TABLE sends ALTER COLUMN status SET STATISTICS 0;
