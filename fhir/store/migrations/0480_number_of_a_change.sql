-- Patients are noted on the node that has the schema, where Citus took it to a node (docs/operations/citus.md). As a default of the column the
-- sequence goes there, too; no statement leaves the column out.
ALTER TABLE fhir_patient_change ALTER COLUMN change SET DEFAULT nextval('fhir_patient_change_number');

-- The rows of a trigger are read before others are written: Citus plans a statement with both for another connection, which has none of them.
CREATE OR REPLACE FUNCTION fhir_note_patients() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  patients uuid[];
BEGIN
  SELECT array_agg(w.rid) INTO patients FROM written w WHERE w.type = 126823934;
  IF patients IS NOT NULL THEN
    INSERT INTO fhir_patient_change (rid, change)
    SELECT p.rid, nextval('fhir_patient_change_number') FROM unnest(patients) AS p (rid)
    ON CONFLICT (rid) DO UPDATE SET change = excluded.change;
  END IF;
  RETURN NULL;
END $$;
