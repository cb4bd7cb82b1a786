-- Codes with their dates, and which resources have several dates by one parameter (docs/adr/0012), for what is already stored.

-- The key of a parameter's name followed by a suffix, from the key of the name alone: FNV-1a takes a text byte by byte
-- (lib/fhir/search/keys.ts).
CREATE FUNCTION pg_temp.twin_key(name_key integer, suffix text) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  hash bigint := name_key::bigint & 4294967295;
BEGIN
  FOR position IN 0 .. octet_length(suffix) - 1 LOOP
    hash := ((hash # get_byte(convert_to(suffix, 'UTF8'), position)) * 16777619) & 4294967295;
  END LOOP;
  RETURN CASE WHEN hash >= 2147483648 THEN hash - 4294967296 ELSE hash END;
END $$;

-- One row of a resource, spanning all of its dates.
INSERT INTO fhir_date (type, param, low, high, rid)
SELECT d.type, t.twin, min(d.low), max(d.high), d.rid
FROM fhir_date d JOIN (SELECT param, pg_temp.twin_key(param, ':several') AS twin FROM (SELECT DISTINCT param FROM fhir_date) p) t
  ON t.param = d.param
GROUP BY d.type, t.twin, d.param, d.rid HAVING count(*) > 1;

-- One row for each code of a resource, with its date or the span of its dates (lib/fhir/search/dated-codes.ts).
INSERT INTO fhir_composite (type, param, rid, text1, system1, system2, low2, high2)
SELECT t.type, CASE WHEN d.dates = 1 AND d.high - d.low <= 86400000 THEN p.dated ELSE p.other END, t.rid, t.code, t.system, 0, d.low, d.high
FROM (SELECT code, date, pg_temp.twin_key(code, ':dated') AS dated, pg_temp.twin_key(code, ':dated-other') AS other
  FROM (VALUES
    -- Type, Type.code, Type.date
    ('AdverseEvent', -137575454, 156129359),
    ('AllergyIntolerance', -1708878562, -1391806837),
    ('AuditEvent', -1075334057, 132354142),
    ('DiagnosticReport', -821625093, 2070973618),
    ('FamilyMemberHistory', -1030810972, -537261335),
    ('List', -1601505316, 1807937361),
    ('NutritionIntake', -1037487862, 640514087),
    ('Observation', -1555152208, 2089022869),
    ('Procedure', 1327508757, -1885528300)) k(name, code, date)) p
JOIN fhir_token t ON t.param = p.code
JOIN (SELECT param, rid, min(low) AS low, max(high) AS high, count(*) AS dates FROM fhir_date GROUP BY param, rid) d
  ON d.param = p.date AND d.rid = t.rid;

-- With the system, so that a code in a span of time is answered by the index alone.
DROP INDEX fhir_composite_low;
CREATE INDEX fhir_composite_low ON fhir_composite (param, text1, low2, high2, rid, system1) WHERE low2 IS NOT NULL;

-- How often a value comes with its parameter: what the planner knows of codes and references that many share.
CREATE STATISTICS fhir_token_common (mcv) ON param, code FROM fhir_token;
CREATE STATISTICS fhir_reference_common (mcv) ON param, target FROM fhir_reference;
