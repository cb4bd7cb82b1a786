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

CREATE INDEX organisation_by_name ON organisation (name COLLATE name_order, organisation_guid);
CREATE INDEX care_group_by_name ON care_group (group_type, name COLLATE name_order, group_guid);
