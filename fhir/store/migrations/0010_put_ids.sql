-- Nothing changes in what is stored: only what the column may hold besides.
COMMENT ON COLUMN fhir_resource.id IS 'the id where it is not rid itself; of a first version also where it is, when an update made it (PUT, not POST)';
