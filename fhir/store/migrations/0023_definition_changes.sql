-- Which code systems, value sets and concept maps have been written, and by which transaction: nodes follow it instead of counting all of them
-- (docs/adr/0017). Definitions of several types with the same id are one row: whoever follows looks at all of them.
CREATE TABLE fhir_definition_change (
  rid uuid PRIMARY KEY,
  -- The latest that wrote it. What an unfinished one writes is seen when it has ended, as nobody has looked past it until then.
  changed_by xid8 NOT NULL
);
CREATE INDEX fhir_definition_change_by ON fhir_definition_change (changed_by);

CREATE FUNCTION fhir_note_definition() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO fhir_definition_change (rid, changed_by) VALUES (NEW.rid, pg_current_xact_id())
  ON CONFLICT (rid) DO UPDATE SET changed_by = excluded.changed_by;
  RETURN NULL;
END $$;
-- The keys of the names CodeSystem, ValueSet and ConceptMap (lib/fhir/search/keys.ts).
CREATE TRIGGER fhir_definition_written AFTER INSERT OR UPDATE OF version ON fhir_resource
  FOR EACH ROW WHEN (NEW.type IN (-1422655539, 551874826, 126461379)) EXECUTE FUNCTION fhir_note_definition();
