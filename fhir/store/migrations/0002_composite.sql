-- Composite parameters: for each element that holds all components one row for each combination of their values. A component is a text with
-- its system (token, string, reference, uri) or bounds (date in milliseconds, quantity with its unit as the text).
CREATE TABLE fhir_composite (
  type integer NOT NULL,
  param integer NOT NULL,
  rid uuid NOT NULL,
  text1 text COLLATE "C",
  system1 bigint,
  low1 double precision,
  high1 double precision,
  text2 text COLLATE "C",
  system2 bigint,
  low2 double precision,
  high2 double precision,
  text3 text COLLATE "C",
  system3 bigint,
  low3 double precision,
  high3 double precision
);
CREATE INDEX fhir_composite_text ON fhir_composite (param, text1, text2, rid);
CREATE INDEX fhir_composite_low ON fhir_composite (param, text1, low2, high2, rid);
CREATE INDEX fhir_composite_rid ON fhir_composite (rid);
