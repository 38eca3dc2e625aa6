-- Nearly every delivery is processed: those that are not are looked for.
DROP INDEX deliveries_with_outcome;
CREATE INDEX IF NOT EXISTS deliveries_not_processed ON deliveries (outcome, id) WHERE outcome <> 'processed';
