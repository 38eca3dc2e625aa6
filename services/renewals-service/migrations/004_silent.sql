-- Up to which rung the date came silently: of what it had reached by then the customer is not written to.
ALTER TABLE renewals ADD COLUMN silent_through text COLLATE "C"
  CHECK (silent_through IN ('90', '60', '30', '14', '7', 'OVERDUE'));

-- The version before passed such rungs over in the ledger, so that nobody was told, no colleague either. The next refresh
-- takes these rows out and decides again, silently. They stay until then: the version before, which may still run, would
-- write to the customer without them.
ALTER TABLE renewals ADD COLUMN silenced boolean NOT NULL DEFAULT false;
CREATE INDEX renewals_silenced ON renewals (id) WHERE silenced;

-- Those whose most urgent rung was passed over like that and would have made a task. Where it had fired for a date nearby,
-- the date was moved and somebody knows.
WITH ladder (rung, place, before) AS (
  VALUES ('90', 1, 90), ('60', 2, 60), ('30', 3, 30), ('14', 4, 14), ('7', 5, 7), ('OVERDUE', 6, -1)
), tightest AS (
  SELECT DISTINCT ON (r.id) r.id, r.due_date, l.*, a.state = 'SUPERSEDED' AND a.run_id IS NULL AS passed_over
  FROM renewals r
  JOIN alerts a ON a.renewal_id = r.id AND a.due_date = r.due_date
  JOIN ladder l ON l.rung = a.rung COLLATE "C"
  WHERE r.closed_at IS NULL
  ORDER BY r.id, l.place DESC
)
UPDATE renewals r
SET silenced = true, silent_through = t.rung, next_alert_on = t.due_date - t.before
FROM tightest t
WHERE r.id = t.id AND t.passed_over AND t.before <= 14
  AND NOT EXISTS (SELECT FROM alerts f JOIN ladder l ON l.rung = f.rung COLLATE "C"
                  WHERE f.renewal_id = r.id AND f.state = 'FIRED' AND l.place >= t.place
                    AND abs(f.due_date - t.due_date) < 180);

-- With the new columns.
DROP VIEW renewals_seen;
CREATE VIEW renewals_seen AS
  SELECT r.*, CASE WHEN r.closed_at IS NULL
                   THEN r.due_date - coalesce((SELECT f.as_of FROM refreshed f), r.created_on) END AS days_until_due
  FROM renewals r;
