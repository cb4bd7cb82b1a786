-- By which definitions and which code the index rows of a resource were made; NULL when that is not known. An update that reads by the
-- same ones changes only the rows that differ (docs/adr/0013).
ALTER TABLE fhir_resource ADD COLUMN extraction integer;
