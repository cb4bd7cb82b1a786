-- A mark of the key that personnummer are encrypted with, so that a node with another key refuses to start instead of writing
-- what the others cannot read.
CREATE TABLE personnummer_key (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  mark bytea NOT NULL
);
