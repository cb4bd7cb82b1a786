-- Code systems that were imported from files: their columns as nodes hold them in memory (lib/terminology/model/columns.ts; docs/adr/0019). The
-- CodeSystem that they belong to names them in an extension.
CREATE TABLE fhir_code_system (
  columns_guid uuid PRIMARY KEY,
  -- Of the CodeSystem: nobody else may name them.
  rid uuid NOT NULL,
  -- JSON: what is said of the system as a whole, and how long each column is.
  head text NOT NULL
);
CREATE TABLE fhir_code_system_part (
  columns_guid uuid NOT NULL REFERENCES fhir_code_system ON DELETE CASCADE,
  -- In the order of the columns, from 0.
  number int NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (columns_guid, number)
);
-- They are read as a whole: compressing them would only cost time.
ALTER TABLE fhir_code_system_part ALTER COLUMN bytes SET STORAGE EXTERNAL;
