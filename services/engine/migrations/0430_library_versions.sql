-- Each change of a library record is a version of it, which a PUT names in If-Match (docs/adr/0155). Activities have theirs since 0015. An entry of a
-- lookup table has a revision: the version of a canonical library is that of its code system.
ALTER TABLE concept ADD COLUMN version integer NOT NULL DEFAULT 1;
ALTER TABLE goal ADD COLUMN version integer NOT NULL DEFAULT 1;
ALTER TABLE activity_transaction ADD COLUMN version integer NOT NULL DEFAULT 1;
ALTER TABLE canonical_lib ADD COLUMN revision integer NOT NULL DEFAULT 1;
ALTER TABLE concept_type ADD COLUMN revision integer NOT NULL DEFAULT 1;
ALTER TABLE response_type ADD COLUMN revision integer NOT NULL DEFAULT 1;
ALTER TABLE unit ADD COLUMN revision integer NOT NULL DEFAULT 1;

CREATE FUNCTION count_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.version := OLD.version + 1;
  RETURN NEW;
END
$$;
CREATE TRIGGER concept_version BEFORE UPDATE ON concept FOR EACH ROW EXECUTE FUNCTION count_version();
CREATE TRIGGER goal_version BEFORE UPDATE ON goal FOR EACH ROW EXECUTE FUNCTION count_version();
CREATE TRIGGER activity_transaction_version BEFORE UPDATE ON activity_transaction FOR EACH ROW EXECUTE FUNCTION count_version();

CREATE FUNCTION count_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.revision := OLD.revision + 1;
  RETURN NEW;
END
$$;
CREATE TRIGGER canonical_lib_revision BEFORE UPDATE ON canonical_lib FOR EACH ROW EXECUTE FUNCTION count_revision();
CREATE TRIGGER concept_type_revision BEFORE UPDATE ON concept_type FOR EACH ROW EXECUTE FUNCTION count_revision();
CREATE TRIGGER response_type_revision BEFORE UPDATE ON response_type FOR EACH ROW EXECUTE FUNCTION count_revision();
CREATE TRIGGER unit_revision BEFORE UPDATE ON unit FOR EACH ROW EXECUTE FUNCTION count_revision();
