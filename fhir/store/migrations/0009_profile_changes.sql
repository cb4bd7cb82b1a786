-- Which StructureDefinitions have been written, and by which transaction: nodes follow it instead of counting all of them (docs/adr/0014).
CREATE TABLE fhir_profile_change (
  rid uuid PRIMARY KEY,
  -- The latest that wrote it. What an unfinished one writes is seen when it has ended, as nobody has looked past it until then.
  changed_by xid8 NOT NULL
);
CREATE INDEX fhir_profile_change_by ON fhir_profile_change (changed_by);

CREATE FUNCTION fhir_note_profile() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO fhir_profile_change (rid, changed_by) VALUES (NEW.rid, pg_current_xact_id())
  ON CONFLICT (rid) DO UPDATE SET changed_by = excluded.changed_by;
  RETURN NULL;
END $$;
-- The key of the name StructureDefinition (lib/fhir/search/keys.ts).
CREATE TRIGGER fhir_profile_written AFTER INSERT OR UPDATE OF version ON fhir_resource
  FOR EACH ROW WHEN (NEW.type = -797091425) EXECUTE FUNCTION fhir_note_profile();
