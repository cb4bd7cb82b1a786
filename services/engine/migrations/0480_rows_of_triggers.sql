-- The rows of a trigger are read before others are written: Citus plans a statement with both for another connection, which has none of them
-- (docs/operations/citus.md).
CREATE OR REPLACE FUNCTION forget_bulk_patients() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  jobs uuid[];
BEGIN
  SELECT array_agg(g.job_guid) INTO jobs FROM gone g;
  DELETE FROM bulk_patient WHERE job_guid = ANY (jobs);
  RETURN NULL;
END $$;

-- In one order, so that two who move concepts between the same groups do not wait for each other for ever.
CREATE OR REPLACE FUNCTION count_concepts() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  changed concept_count[];
BEGIN
  IF TG_OP = 'INSERT' THEN
    SELECT array_agg(g.*::concept_count) INTO changed FROM (
      SELECT canonical_lib, concept_type, response_type, has_values, pg_backend_pid() % 16, count(*)
      FROM added GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4) g;
  ELSIF TG_OP = 'DELETE' THEN
    SELECT array_agg(g.*::concept_count) INTO changed FROM (
      SELECT canonical_lib, concept_type, response_type, has_values, pg_backend_pid() % 16, -count(*)
      FROM removed GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4) g;
  ELSE
    SELECT array_agg(g.*::concept_count) INTO changed FROM (
      SELECT canonical_lib, concept_type, response_type, has_values, pg_backend_pid() % 16, sum(change) FROM (
        SELECT canonical_lib, concept_type, response_type, has_values, 1 AS change FROM added
        UNION ALL SELECT canonical_lib, concept_type, response_type, has_values, -1 FROM removed
      ) AS changes
      GROUP BY 1, 2, 3, 4 HAVING sum(change) <> 0 ORDER BY 1, 2, 3, 4) g;
  END IF;
  INSERT INTO concept_count AS known SELECT c.* FROM unnest(changed) AS c
  ON CONFLICT ON CONSTRAINT concept_count_group DO UPDATE SET concepts = known.concepts + excluded.concepts;
  RETURN NULL;
END
$$;

-- In one order, so that two who write the same codes do not wait for each other for ever.
CREATE OR REPLACE FUNCTION note_concepts() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  libraries uuid[];
  codes text[];
BEGIN
  IF TG_OP = 'UPDATE' THEN
    SELECT array_agg(c.canonical_lib), array_agg(c.concept_code) INTO libraries, codes FROM (
      SELECT canonical_lib, concept_code FROM added UNION SELECT canonical_lib, concept_code FROM removed ORDER BY 1, 2) c;
  ELSIF TG_OP = 'DELETE' THEN
    SELECT array_agg(c.canonical_lib), array_agg(c.concept_code) INTO libraries, codes FROM (
      SELECT canonical_lib, concept_code FROM removed ORDER BY 1, 2) c;
  ELSE
    SELECT array_agg(c.canonical_lib), array_agg(c.concept_code) INTO libraries, codes FROM (
      SELECT canonical_lib, concept_code FROM added ORDER BY 1, 2) c;
  END IF;
  INSERT INTO concept_change (canonical_lib, concept_code, changed_by)
    SELECT c.canonical_lib, c.concept_code, pg_current_xact_id() FROM unnest(libraries, codes) AS c (canonical_lib, concept_code)
  ON CONFLICT (canonical_lib, concept_code) DO UPDATE SET changed_by = excluded.changed_by;
  RETURN NULL;
END
$$;
