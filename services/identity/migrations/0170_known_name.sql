-- Names for the access log (docs/adr/0075): what users and organisations were called, and since when. Rows stay when a user is deleted: a patient is told who
-- has looked at their data as it was at that time.
CREATE TABLE known_name (
  guid uuid NOT NULL,
  valid_from timestamptz NOT NULL,
  name text,
  -- Of a user: the professional role, or `patient`.
  role text,
  -- Of a user: the guid of the Practitioner or Patient, by which events may name the user.
  person_guid uuid,
  PRIMARY KEY (guid, valid_from)
);
CREATE INDEX known_name_person ON known_name (person_guid) WHERE person_guid IS NOT NULL;

-- A user's parts are inserted in one transaction, which has one name; changes of one user follow each other by the lock of the row.
CREATE FUNCTION remember_user_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO known_name (guid, valid_from, name, role, person_guid)
  SELECT u.user_guid, CASE TG_OP WHEN 'INSERT' THEN now() ELSE clock_timestamp() END,
    nullif(concat_ws(' ', u.first_name, u.last_name), ''),
    coalesce(p.professional_role, u.user_type), coalesce(p.professional_guid, t.patient_guid)
  FROM app_user u LEFT JOIN professional p USING (user_guid) LEFT JOIN patient t USING (user_guid)
  WHERE u.user_guid = NEW.user_guid
  ON CONFLICT (guid, valid_from) DO UPDATE
    SET name = excluded.name, role = excluded.role, person_guid = excluded.person_guid;
  RETURN NULL;
END
$$;

CREATE TRIGGER app_user_first_name AFTER INSERT ON app_user FOR EACH ROW EXECUTE FUNCTION remember_user_name();
CREATE TRIGGER app_user_new_name AFTER UPDATE OF first_name, last_name ON app_user FOR EACH ROW
  WHEN ((OLD.first_name, OLD.last_name) IS DISTINCT FROM (NEW.first_name, NEW.last_name))
  EXECUTE FUNCTION remember_user_name();
CREATE TRIGGER professional_first_role AFTER INSERT ON professional FOR EACH ROW EXECUTE FUNCTION remember_user_name();
CREATE TRIGGER professional_new_role AFTER UPDATE OF professional_role ON professional FOR EACH ROW
  WHEN (OLD.professional_role IS DISTINCT FROM NEW.professional_role) EXECUTE FUNCTION remember_user_name();
CREATE TRIGGER patient_first_name AFTER INSERT ON patient FOR EACH ROW EXECUTE FUNCTION remember_user_name();

CREATE FUNCTION remember_organisation_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO known_name (guid, valid_from, name)
  VALUES (NEW.organisation_guid, clock_timestamp(), NEW.name)
  ON CONFLICT (guid, valid_from) DO UPDATE SET name = excluded.name;
  RETURN NULL;
END
$$;

CREATE TRIGGER organisation_known_name AFTER INSERT OR UPDATE OF name ON organisation FOR EACH ROW
  EXECUTE FUNCTION remember_organisation_name();

INSERT INTO known_name (guid, valid_from, name, role, person_guid)
SELECT u.user_guid, u.created_at, nullif(concat_ws(' ', u.first_name, u.last_name), ''),
  coalesce(p.professional_role, u.user_type), coalesce(p.professional_guid, t.patient_guid)
FROM app_user u LEFT JOIN professional p USING (user_guid) LEFT JOIN patient t USING (user_guid);
INSERT INTO known_name (guid, valid_from, name) SELECT organisation_guid, created_at, name FROM organisation;
