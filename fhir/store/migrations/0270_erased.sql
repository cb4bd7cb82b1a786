-- What was erased (docs/adr/0131) stays as the mark of a deletion, whose content says so: references to it find it gone, and no other resource gets its
-- id. Writers read the mark themselves; this refuses those that do not, such as nodes of the release before.
CREATE FUNCTION fhir_refuse_erased() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a resource that was erased is not written again';
END
$$;
CREATE TRIGGER fhir_erased_stays BEFORE UPDATE ON fhir_resource
  FOR EACH ROW WHEN (OLD.deleted AND NOT NEW.deleted AND OLD.content LIKE '{"erased":"%') EXECUTE FUNCTION fhir_refuse_erased();
