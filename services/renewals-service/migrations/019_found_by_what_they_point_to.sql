-- `renewals_of_owner` finds the same. The version before hands over more slowly for as long as it runs beside this one.
DROP INDEX renewals_of_agent;

-- A renewal that is erased is looked for in all that may point to it.
CREATE INDEX IF NOT EXISTS renewals_of_successor ON renewals (successor_id) WHERE successor_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS compliance_flags_of_renewal ON compliance_flags (renewal_id);
CREATE INDEX IF NOT EXISTS refresh_set_aside_of_renewal ON refresh_set_aside (renewal_id);
CREATE INDEX IF NOT EXISTS upstream_statements_of_renewal ON upstream_statements (renewal_id) WHERE renewal_id IS NOT NULL;
