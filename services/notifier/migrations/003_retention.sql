-- What a retention run looks for, without reading what it leaves alone.
CREATE INDEX deliveries_by_age ON deliveries (type, created_at);
CREATE INDEX receipts_parked_by_age ON receipts (received_at) WHERE delivery_id IS NULL;
