-- Triggers find their tables whatever the search path of who writes: an operator's psql names the schema instead.
ALTER FUNCTION remember_user_name() SET search_path FROM CURRENT;
ALTER FUNCTION remember_organisation_name() SET search_path FROM CURRENT;
ALTER FUNCTION note_patient_change() SET search_path FROM CURRENT;
ALTER FUNCTION publish_proxy_end() SET search_path FROM CURRENT;
