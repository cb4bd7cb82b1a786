-- The trigger finds its tables whatever the search path of who writes: an operator's psql names the schema instead.
ALTER FUNCTION list_deliveries_of_providers() SET search_path FROM CURRENT;
