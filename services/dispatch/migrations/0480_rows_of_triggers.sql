-- The rows of a trigger are read before others are written: Citus plans a statement with both for another connection, which has none of them
-- (docs/operations/citus.md).
CREATE OR REPLACE FUNCTION list_deliveries_of_providers() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  providers text[];
  deliveries uuid[];
BEGIN
  SELECT array_agg(a.provider_guid), array_agg(a.delivery_guid) INTO providers, deliveries FROM added a;
  INSERT INTO delivery_of_provider (provider_guid, delivery_guid)
  SELECT d.provider_guid, d.delivery_guid FROM unnest(providers, deliveries) AS d (provider_guid, delivery_guid);
  RETURN NULL;
END $$;
