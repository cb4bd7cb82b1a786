-- What was written is noted by the statement that writes it, in one row for all of its resources (docs/adr/0016): a trigger and a row for each
-- took a twelfth of the database's time for a transaction.
DROP TRIGGER fhir_text_of_new ON fhir_resource;
DROP TRIGGER fhir_text_of_changed ON fhir_resource;
DROP FUNCTION fhir_queue_text();

ALTER TABLE fhir_text_queue ADD COLUMN types integer[], ADD COLUMN rids uuid[];
UPDATE fhir_text_queue SET types = ARRAY[type], rids = ARRAY[rid];
ALTER TABLE fhir_text_queue ALTER COLUMN types SET NOT NULL, ALTER COLUMN rids SET NOT NULL,
  ADD CHECK (cardinality(types) = cardinality(rids)), DROP COLUMN type, DROP COLUMN rid;
