-- Patients that have been written and not reported to identity yet (docs/adr/0068). A trigger notes them, because every way of writing ends here: single
-- writes, groups, transactions, imports, synchronisation, and changes of the owner. Its condition costs other types nothing that can be measured.
CREATE SEQUENCE fhir_patient_change_number;

CREATE TABLE fhir_patient_change (
  rid uuid PRIMARY KEY,
  -- Rises with each write: identity ignores a report of before.
  change bigint NOT NULL
);
CREATE INDEX fhir_patient_change_order ON fhir_patient_change (change);

CREATE FUNCTION fhir_note_patient() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO fhir_patient_change (rid, change) VALUES (NEW.rid, nextval('fhir_patient_change_number'))
  ON CONFLICT (rid) DO UPDATE SET change = excluded.change;
  RETURN NULL;
END $$;

-- The number is the key of the name Patient.
CREATE TRIGGER fhir_patient_written AFTER INSERT OR UPDATE OF version, organisation, deleted ON fhir_resource
  FOR EACH ROW WHEN (NEW.type = 126823934) EXECUTE FUNCTION fhir_note_patient();

INSERT INTO fhir_patient_change (rid, change)
SELECT rid, nextval('fhir_patient_change_number') FROM fhir_resource WHERE type = 126823934 AND NOT deleted;
