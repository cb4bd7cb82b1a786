-- Each change of an activity or of its transactions is a version of its ActivityDefinition (decision E7).
ALTER TABLE activity ADD COLUMN version integer NOT NULL DEFAULT 1;

CREATE FUNCTION count_activity_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.version := OLD.version + 1;
  RETURN NEW;
END
$$;
CREATE TRIGGER activity_changed BEFORE UPDATE ON activity FOR EACH ROW EXECUTE FUNCTION count_activity_version();
