-- When the access of a registered patient last changed, for services that follow whose records are one person's (docs/adr/0073). A row for each
-- patient: unlike user_change it is never deleted, so a reader may have been away for long. A trigger writes it, so that nodes of the release before
-- do it too. The number is that of the revocation feed, whose counter is locked until the commit: numbers are in commit order.
CREATE TABLE patient_change (
  patient_guid uuid PRIMARY KEY REFERENCES patient (patient_guid) ON DELETE CASCADE,
  sequence bigint NOT NULL
);
CREATE INDEX patient_change_sequence ON patient_change (sequence);

CREATE FUNCTION note_patient_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO patient_change (patient_guid, sequence)
  SELECT patient_guid, NEW.sequence FROM patient WHERE user_guid = NEW.user_guid
  ON CONFLICT (patient_guid) DO UPDATE SET sequence = greatest(patient_change.sequence, excluded.sequence);
  RETURN NULL;
END $$;

CREATE TRIGGER user_change_noted AFTER INSERT ON user_change FOR EACH ROW EXECUTE FUNCTION note_patient_change();

WITH linked AS (
  SELECT patient_guid, row_number() OVER (ORDER BY patient_guid) AS position FROM (SELECT DISTINCT patient_guid FROM patient_link) l
), counter AS (
  UPDATE revocation_counter SET last = last + (SELECT count(*) FROM linked) RETURNING last
)
INSERT INTO patient_change (patient_guid, sequence)
SELECT patient_guid, last - (SELECT count(*) FROM linked) + position FROM linked, counter;
