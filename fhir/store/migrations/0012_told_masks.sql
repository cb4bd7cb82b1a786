-- Whoever writes index rows must say whose they are: a node from before 0011 does not, and searches would not find what it writes. Its writes
-- fail instead.
ALTER TABLE fhir_token ALTER COLUMN mask DROP DEFAULT;
ALTER TABLE fhir_string ALTER COLUMN mask DROP DEFAULT;
ALTER TABLE fhir_quantity ALTER COLUMN mask DROP DEFAULT;
