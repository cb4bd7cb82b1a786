-- What an audit event costs is mostly its indexes (docs/adr/0139).

-- Events of a patient are found by (patient, recorded, event_guid) as well. Those in the order of ids are sorted.
DROP INDEX access_event_patient_event_guid_idx;

-- An event whose first entity is the patient itself has the type of the entity alone: the index of patients finds it. The numbers are keys of names, as in
-- 0246_access_event.sql.
CREATE OR REPLACE VIEW fhir_reference_all AS
  SELECT type, param, target_type, target, rid FROM fhir_reference
  UNION ALL
  SELECT 704291728, 955572451, 126823934, patient, event_guid FROM access_event WHERE patient IS NOT NULL
  UNION ALL
  SELECT 704291728, 1019056483, 126823934, patient, event_guid FROM access_event WHERE patient IS NOT NULL
  UNION ALL
  SELECT 704291728, -1726186577, agent_type, agent, event_guid FROM access_event WHERE agent IS NOT NULL
  UNION ALL
  SELECT 704291728, -1226624887, entity_type, entity, event_guid FROM access_event WHERE entity IS NOT NULL
  UNION ALL
  SELECT 704291728, -1226624887, entity_type, patient, event_guid FROM access_event
  WHERE patient IS NOT NULL AND entity IS NULL AND entity_type IS NOT NULL
  UNION ALL
  SELECT 704291728, v.param, v.number::integer, v.target, e.event_guid
  FROM access_part_value v JOIN access_event e ON e.actor = v.part WHERE v.target IS NOT NULL
  UNION ALL
  SELECT 704291728, param, number::integer, target, event_guid FROM access_event_value WHERE target IS NOT NULL;
