-- The trigger finds its tables whatever the search path of who writes: an operator's psql names the schema instead.
ALTER FUNCTION fhir_note_patient() SET search_path FROM CURRENT;
