-- Each attempt changes a delivery twice, and each change goes into every index that has the row: as few as can be. What is looked up by provider
-- never changes, so it stands in a table of its own; the trigger also serves what the release before queues.
CREATE TABLE delivery_of_provider (
  provider_guid text NOT NULL,
  delivery_guid uuid NOT NULL,
  PRIMARY KEY (provider_guid, delivery_guid)
);
CREATE FUNCTION list_deliveries_of_providers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO delivery_of_provider SELECT provider_guid, delivery_guid FROM added;
  RETURN NULL;
END $$;
CREATE TRIGGER delivery_of_provider AFTER INSERT ON delivery REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION list_deliveries_of_providers();
INSERT INTO delivery_of_provider SELECT provider_guid, delivery_guid FROM delivery ON CONFLICT DO NOTHING;
DROP INDEX delivery_provider;

-- Those that are being sent are found by their leases.
DROP INDEX delivery_status;
CREATE INDEX delivery_status ON delivery (status, delivery_guid) WHERE status <> 'sending';

-- An attempt is written by the statement that claims its delivery, which is never deleted, and once more when it has ended: on the same page.
ALTER TABLE delivery_attempt DROP CONSTRAINT delivery_attempt_delivery_guid_fkey;
ALTER TABLE delivery_attempt SET (fillfactor = 50);
