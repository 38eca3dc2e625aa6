comment on schema ingest is 'Raw provider deliveries and what they were normalised to; webhook-ingest alone reads and writes it';
