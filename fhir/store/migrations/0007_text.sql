-- Full text search (docs/adr/0016). Words are not written with the resource: an index of words costs more than all others together.
-- Whatever is written notes its resource in the queue; it is read from there in the background, and before a search for words.
CREATE TABLE fhir_text (
  type integer NOT NULL,
  rid uuid NOT NULL,
  -- Of the resource when it was read; an older one does not replace a newer one.
  version integer NOT NULL,
  narrative tsvector NOT NULL,
  content tsvector NOT NULL,
  PRIMARY KEY (type, rid)
);
CREATE INDEX fhir_text_words ON fhir_text USING gin (narrative, content);

CREATE TABLE fhir_text_queue (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  type integer NOT NULL,
  rid uuid NOT NULL
);
INSERT INTO fhir_text_queue (type, rid) SELECT type, rid FROM fhir_resource WHERE NOT deleted;

CREATE FUNCTION fhir_queue_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO fhir_text_queue (type, rid) SELECT type, rid FROM written;
  RETURN NULL;
END $$;
CREATE TRIGGER fhir_text_of_new AFTER INSERT ON fhir_resource REFERENCING NEW TABLE AS written
  FOR EACH STATEMENT EXECUTE FUNCTION fhir_queue_text();
CREATE TRIGGER fhir_text_of_changed AFTER UPDATE ON fhir_resource REFERENCING NEW TABLE AS written
  FOR EACH STATEMENT EXECUTE FUNCTION fhir_queue_text();
