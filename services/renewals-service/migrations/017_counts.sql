-- How many renewals there are, kept, so that the summary does not look at each. What is over has no date here.
CREATE TABLE renewal_counts (
  owner text COLLATE "C" NOT NULL,
  service_type text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  count integer NOT NULL,
  PRIMARY KEY (owner, service_type, status)
);
CREATE TABLE open_renewal_counts (
  due_date date NOT NULL,
  service_type text COLLATE "C" NOT NULL,
  count integer NOT NULL,
  PRIMARY KEY (due_date, service_type)
);

-- By how much they changed since. Whoever changes renewals adds lines and holds none that another would wait for; a job
-- adds them up. Read together with the counts they are exact.
CREATE TABLE renewal_count_changes (
  owner text COLLATE "C" NOT NULL,
  service_type text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  due_date date,
  change integer NOT NULL
);

-- By triggers, since the version before writes beside this one. One line for many rows of a statement that count alike.
CREATE FUNCTION count_made() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO renewal_count_changes (owner, service_type, status, due_date, change)
  SELECT coalesce(assigned_agent, customer_agent, ''), service_type, status, CASE WHEN closed_at IS NULL THEN due_date END, count(*)
  FROM made GROUP BY 1, 2, 3, 4;
  RETURN NULL;
END $$;

CREATE FUNCTION count_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO renewal_count_changes (owner, service_type, status, due_date, change)
  SELECT coalesce(assigned_agent, customer_agent, ''), service_type, status, CASE WHEN closed_at IS NULL THEN due_date END, sum(change)
  FROM (SELECT assigned_agent, customer_agent, service_type, status, closed_at, due_date, 1 AS change FROM after
        UNION ALL
        SELECT assigned_agent, customer_agent, service_type, status, closed_at, due_date, -1 FROM before) both_of_each
  GROUP BY 1, 2, 3, 4 HAVING sum(change) <> 0;
  RETURN NULL;
END $$;

CREATE FUNCTION count_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO renewal_count_changes (owner, service_type, status, due_date, change)
  SELECT coalesce(assigned_agent, customer_agent, ''), service_type, status, CASE WHEN closed_at IS NULL THEN due_date END, -count(*)
  FROM gone GROUP BY 1, 2, 3, 4;
  RETURN NULL;
END $$;

-- From here on nobody writes renewals until those there are were counted.
CREATE TRIGGER renewals_count_made AFTER INSERT ON renewals REFERENCING NEW TABLE AS made
  FOR EACH STATEMENT EXECUTE FUNCTION count_made();
CREATE TRIGGER renewals_count_changed AFTER UPDATE ON renewals REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION count_changed();
CREATE TRIGGER renewals_count_gone AFTER DELETE ON renewals REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION count_gone();

INSERT INTO renewal_counts (owner, service_type, status, count)
SELECT coalesce(assigned_agent, customer_agent, ''), service_type, status, count(*) FROM renewals GROUP BY 1, 2, 3;
INSERT INTO open_renewal_counts (due_date, service_type, count)
SELECT due_date, service_type, count(*) FROM renewals WHERE closed_at IS NULL GROUP BY 1, 2;
