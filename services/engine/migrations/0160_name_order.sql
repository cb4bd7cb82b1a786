-- Lists of names are sorted as a language has them (docs/adr/0063): statements say COLLATE name_order, whose comment says which language that is. It is
-- Swedish here; nodes of another KEDJA_SORT_LANGUAGE make it and its indexes anew. A server without ICU sorts by code points.
DO $$
BEGIN
  CREATE COLLATION name_order (provider = icu, locale = 'sv');
  COMMENT ON COLLATION name_order IS 'sv';
EXCEPTION WHEN feature_not_supported THEN
  CREATE COLLATION name_order FROM "C";
END
$$;

-- Readers wait only for the last part: the new indexes are made beside the old ones.
CREATE INDEX concept_name_order ON concept (concept_name COLLATE name_order, concept_guid);
CREATE INDEX concept_lib_order ON concept (canonical_lib, concept_name COLLATE name_order, concept_guid);
CREATE INDEX concept_type_order ON concept (concept_type, concept_name COLLATE name_order, concept_guid);
CREATE INDEX concept_response_order ON concept (response_type, concept_name COLLATE name_order, concept_guid);
CREATE INDEX concept_values_order ON concept (has_values, concept_name COLLATE name_order, concept_guid);
CREATE INDEX concept_types_order ON concept (concept_type, response_type, concept_name COLLATE name_order, concept_guid);
CREATE INDEX concept_lib_and_type_order ON concept (canonical_lib, concept_type, concept_name COLLATE name_order, concept_guid);
CREATE INDEX concept_lib_and_response_order ON concept (canonical_lib, response_type, concept_name COLLATE name_order, concept_guid);
CREATE INDEX activity_order ON activity (name COLLATE name_order, activity_guid);
CREATE INDEX goal_order ON goal (name COLLATE name_order, goal_guid);
CREATE INDEX provider_order ON provider (name COLLATE name_order, provider_guid);
CREATE INDEX engine_user_order ON engine_user (name COLLATE name_order, user_guid);

DROP INDEX concept_by_name, concept_by_lib, concept_by_type, concept_by_response, concept_by_values, concept_by_types,
  concept_by_lib_and_type, concept_by_lib_and_response, activity_by_name, goal_by_name, provider_by_name, engine_user_by_name;
