-- All of a text that is longer than what its index entry holds, and what a text is sorted by where that is not what it is searched by
-- (docs/adr/0053). Rows from before have neither: the engine and dispatch compute their index anew by themselves (fhir_index_form). A node from
-- before leaves both as they are.
ALTER TABLE fhir_string ADD COLUMN whole text COLLATE "C", ADD COLUMN sort text COLLATE "C";
CREATE INDEX fhir_string_whole ON fhir_string (param, rid) WHERE whole IS NOT NULL;
CREATE INDEX fhir_string_sort ON fhir_string (param, sort, rid, mask) WHERE sort IS NOT NULL;

-- In which form the index is, and in which it is being put. One row.
CREATE TABLE fhir_index_form (
  form text COLLATE "C" NOT NULL,
  -- The form that a run is putting it in, since when.
  coming text COLLATE "C",
  began_at timestamptz,
  finished_at timestamptz
);
INSERT INTO fhir_index_form (form) VALUES (CASE WHEN EXISTS (SELECT FROM fhir_resource) THEN '1' ELSE '' END);
