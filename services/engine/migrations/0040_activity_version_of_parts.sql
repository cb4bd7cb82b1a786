-- An activity's ActivityDefinition shows concepts, their library, permitted values, value types and units: another version of it is made when
-- one of them is shown otherwise, too (decision E7).

-- In one order, so that two who change what several activities show do not wait for each other for ever.
CREATE FUNCTION renew_activities(guids uuid[], at timestamptz) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM FROM activity WHERE activity_guid = ANY(guids) ORDER BY activity_guid FOR NO KEY UPDATE;
  UPDATE activity SET updated_at = greatest(updated_at, at) WHERE activity_guid = ANY(guids);
END
$$;

CREATE FUNCTION activities_of_concepts(concepts uuid[]) RETURNS uuid[] LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT ARRAY(
    SELECT activity_guid FROM activity WHERE concept = ANY(concepts)
    UNION SELECT activity_guid FROM activity_transaction WHERE concept = ANY(concepts)
  )
$$;

-- Each of these first waits for those who hold the row as a reference: what they have added is then seen here.

CREATE FUNCTION concept_is_shown_otherwise() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM FROM concept WHERE concept_guid = NEW.concept_guid FOR UPDATE;
  PERFORM renew_activities(activities_of_concepts(ARRAY[NEW.concept_guid]), NEW.updated_at);
  RETURN NULL;
END
$$;
CREATE TRIGGER concept_is_shown_otherwise AFTER UPDATE ON concept FOR EACH ROW
  WHEN ((OLD.canonical_lib, OLD.concept_code, coalesce(OLD.concept_display_text, OLD.concept_name), OLD.permitted_values, OLD.response_type)
    IS DISTINCT FROM
    (NEW.canonical_lib, NEW.concept_code, coalesce(NEW.concept_display_text, NEW.concept_name), NEW.permitted_values, NEW.response_type))
  EXECUTE FUNCTION concept_is_shown_otherwise();

CREATE FUNCTION library_is_shown_otherwise() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM FROM canonical_lib WHERE canonical_lib_guid = NEW.canonical_lib_guid FOR UPDATE;
  PERFORM renew_activities(ARRAY(
    SELECT a.activity_guid FROM activity a JOIN concept c ON c.concept_guid = a.concept WHERE c.canonical_lib = NEW.canonical_lib_guid
    UNION SELECT t.activity_guid FROM activity_transaction t JOIN concept c ON c.concept_guid = t.concept
      WHERE c.canonical_lib = NEW.canonical_lib_guid
  ), NEW.updated_at);
  RETURN NULL;
END
$$;
CREATE TRIGGER library_is_shown_otherwise AFTER UPDATE ON canonical_lib FOR EACH ROW
  WHEN ((OLD.url, OLD.version) IS DISTINCT FROM (NEW.url, NEW.version)) EXECUTE FUNCTION library_is_shown_otherwise();

CREATE FUNCTION response_is_shown_otherwise() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM FROM response_type WHERE response_type_guid = NEW.response_type_guid FOR UPDATE;
  PERFORM renew_activities(ARRAY(
    SELECT activity_guid FROM activity_transaction WHERE response_type = NEW.response_type_guid
    UNION SELECT t.activity_guid FROM activity_transaction t JOIN concept c ON c.concept_guid = t.concept
      WHERE t.response_type IS NULL AND c.response_type = NEW.response_type_guid
  ), NEW.updated_at);
  RETURN NULL;
END
$$;
CREATE TRIGGER response_is_shown_otherwise AFTER UPDATE ON response_type FOR EACH ROW
  WHEN (OLD.fhir_type IS DISTINCT FROM NEW.fhir_type) EXECUTE FUNCTION response_is_shown_otherwise();

CREATE FUNCTION unit_is_shown_otherwise() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM FROM unit WHERE unit_guid = NEW.unit_guid FOR UPDATE;
  PERFORM renew_activities(ARRAY(SELECT activity_guid FROM activity_transaction WHERE unit = NEW.unit_guid), NEW.updated_at);
  RETURN NULL;
END
$$;
CREATE TRIGGER unit_is_shown_otherwise AFTER UPDATE ON unit FOR EACH ROW
  WHEN ((OLD.name, OLD.ucum_code) IS DISTINCT FROM (NEW.name, NEW.ucum_code)) EXECUTE FUNCTION unit_is_shown_otherwise();
