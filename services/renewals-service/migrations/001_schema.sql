comment on schema renewals is 'Renewals, the alert ledger, refresh runs, service types and compliance flags; renewals-service alone reads and writes it';
