-- How a service type is called in other languages, by language tag; `label` is what it is called in all others.
ALTER TABLE service_types ADD COLUMN labels jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(labels) = 'object');

UPDATE service_types t SET labels = jsonb_build_object('de', d.label)
FROM (VALUES ('RESIDENCE_PERMIT', 'Aufenthaltstitel'),
             ('WORK_PERMIT', 'Arbeitserlaubnis'),
             ('INSURANCE_POLICY', 'Versicherungspolice')) d (code, label)
WHERE t.code = d.code AND t.version = 1;
