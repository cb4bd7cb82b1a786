-- Patients who are named where no search parameter reads (docs/adr/0049), for what is already stored: a resource of a patient's compartment that
-- refers to more than one Patient, or holds one. `kedja reindex` finds those who are named by a number alone, too.

-- The key of a parameter's name, from the key of the name before the suffix: FNV-1a takes a text byte by byte (lib/fhir/search/keys.ts).
CREATE FUNCTION pg_temp.further_key(name_key integer, suffix text) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  hash bigint := name_key::bigint & 4294967295;
BEGIN
  FOR position IN 0 .. octet_length(suffix) - 1 LOOP
    hash := ((hash # get_byte(convert_to(suffix, 'UTF8'), position)) * 16777619) & 4294967295;
  END LOOP;
  RETURN CASE WHEN hash >= 2147483648 THEN hash - 4294967296 ELSE hash END;
END $$;

-- The types that lie in compartments at all; 126823934 is the key of Patient.
CREATE TEMP TABLE compartment_types ON COMMIT DROP AS
  SELECT type, pg_temp.further_key(type, '.$patient') AS param, pg_temp.further_key(type, '.$named') AS named
  FROM (SELECT DISTINCT type FROM fhir_resource) t WHERE type <> 126823934;

-- The target is nobody's key, as another person is all that counts.
INSERT INTO fhir_reference (type, param, target_type, target, rid)
SELECT r.type, t.named, 126823934, '00000000-0000-8000-8000-000000000000', r.rid
FROM fhir_resource r JOIN compartment_types t ON t.type = r.type
WHERE NOT r.deleted
  AND (r.content LIKE '%Patient/%Patient/%' OR r.content LIKE '%"resourceType"%"resourceType"%')
  AND EXISTS (SELECT FROM fhir_reference a WHERE a.rid = r.rid AND a.param = t.param)
  AND (r.content ~ '"resourceType"\s*:\s*"Patient"'
    OR (SELECT count(DISTINCT m[1]) > 1
      FROM regexp_matches(r.content, '"reference"\s*:\s*"(?:[^"]*/)?Patient/([A-Za-z0-9.-]{1,64})', 'g') m));
