-- What follows an alert while the customer says nothing. After that of 60 it begins, where that writes to the customer.
UPDATE alert_plan SET steps = (
  SELECT jsonb_object_agg(rung, step || jsonb_build_object('outreach',
    CASE WHEN rung = '60' AND jsonb_array_length(step->'channels') > 0 THEN
      '[{"after_days": 7, "channels": ["EMAIL"], "task": null},
        {"after_days": 14, "channels": ["MESSAGING_APP", "SMS"], "task": null},
        {"after_days": 21, "channels": [], "task": "NORMAL"}]'::jsonb
    ELSE '[]'::jsonb END))
  FROM jsonb_each(steps) AS of_rung (rung, step));

-- What a step that follows an alert does, as the plan had it when the alert fired; null: what its rung does.
ALTER TABLE alert_actions ADD COLUMN does jsonb;
