-- Triggers find their tables whatever the search path of who writes: an operator's psql names the schema instead.
ALTER FUNCTION remember_name() SET search_path FROM CURRENT;
ALTER FUNCTION forget_bulk_patients() SET search_path FROM CURRENT;
