-- A text has one entry in the indexes of values (docs/adr/0128): `fhir_string_text` serves searches, and the order of all texts that are sorted by what they
-- are searched by. Only those with a text of their own to sort by have a second entry, in `fhir_string_own_order`. Before, every whole text had two.

-- Changes of indexes that the nodes make after their start, while others read and write. In the order of their numbers; a row is gone when its change is made.
CREATE TABLE index_change (
  number int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  -- What CREATE INDEX has behind the name; NULL: the index is dropped.
  definition text
);

-- How texts divide among the parameters that share rows: what the planner knows of a parameter's share.
CREATE STATISTICS fhir_string_shares (mcv) ON param, mask FROM fhir_string;

DO $$ BEGIN
  IF EXISTS (SELECT FROM fhir_string) THEN
    INSERT INTO index_change (name, definition) VALUES
      ('fhir_string_own_order', 'ON fhir_string (param, mask, (coalesce(sort, value)), rid) WHERE sort IS NOT NULL'),
      ('fhir_string_text', 'ON fhir_string (param, mask, value, rid, (num_nonnulls(exact, sort) = 1))'),
      ('fhir_string_order', NULL),
      ('fhir_string_value', NULL);
  ELSE
    CREATE INDEX fhir_string_own_order ON fhir_string (param, mask, (coalesce(sort, value)), rid) WHERE sort IS NOT NULL;
    CREATE INDEX fhir_string_text ON fhir_string (param, mask, value, rid, (num_nonnulls(exact, sort) = 1));
    DROP INDEX fhir_string_order;
    DROP INDEX fhir_string_value;
  END IF;
END $$;
