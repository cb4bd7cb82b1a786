-- Which codes of canonical libraries have been written, and by which transaction: nodes follow it, so that concepts are live codes of their
-- library's code system (docs/adr/0017).
CREATE TABLE canonical_lib_change (
  canonical_lib uuid PRIMARY KEY,
  changed_by xid8 NOT NULL
);
CREATE INDEX canonical_lib_change_by ON canonical_lib_change (changed_by);
CREATE TABLE concept_change (
  canonical_lib uuid NOT NULL,
  concept_code text COLLATE "C" NOT NULL,
  changed_by xid8 NOT NULL,
  PRIMARY KEY (canonical_lib, concept_code)
);
CREATE INDEX concept_change_by ON concept_change (changed_by);

CREATE FUNCTION note_canonical_lib() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO canonical_lib_change (canonical_lib, changed_by)
    VALUES (coalesce(NEW.canonical_lib_guid, OLD.canonical_lib_guid), pg_current_xact_id())
  ON CONFLICT (canonical_lib) DO UPDATE SET changed_by = excluded.changed_by;
  RETURN NULL;
END
$$;
CREATE TRIGGER canonical_lib_written AFTER INSERT OR UPDATE OR DELETE ON canonical_lib
  FOR EACH ROW EXECUTE FUNCTION note_canonical_lib();

-- In one order, so that two who write the same codes do not wait for each other for ever.
CREATE FUNCTION note_concepts() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO concept_change (canonical_lib, concept_code, changed_by)
      SELECT canonical_lib, concept_code, pg_current_xact_id() FROM (
        SELECT canonical_lib, concept_code FROM added UNION SELECT canonical_lib, concept_code FROM removed
      ) AS changed ORDER BY 1, 2
    ON CONFLICT (canonical_lib, concept_code) DO UPDATE SET changed_by = excluded.changed_by;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO concept_change (canonical_lib, concept_code, changed_by)
      SELECT canonical_lib, concept_code, pg_current_xact_id() FROM removed ORDER BY 1, 2
    ON CONFLICT (canonical_lib, concept_code) DO UPDATE SET changed_by = excluded.changed_by;
  ELSE
    INSERT INTO concept_change (canonical_lib, concept_code, changed_by)
      SELECT canonical_lib, concept_code, pg_current_xact_id() FROM added ORDER BY 1, 2
    ON CONFLICT (canonical_lib, concept_code) DO UPDATE SET changed_by = excluded.changed_by;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER concept_noted_when_added AFTER INSERT ON concept
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_concepts();
CREATE TRIGGER concept_noted_when_removed AFTER DELETE ON concept
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION note_concepts();
CREATE TRIGGER concept_noted_when_changed AFTER UPDATE ON concept
  REFERENCING NEW TABLE AS added OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION note_concepts();
