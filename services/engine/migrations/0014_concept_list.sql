-- Lists of concepts stay fast however many there are: texts are found by the three-letter pieces in them, and totals are kept instead of
-- counted.

-- Every piece of three letters, small in any alphabet. What a text holds, it holds all pieces of.
CREATE FUNCTION text_pieces(given text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN (
  SELECT coalesce(array_agg(DISTINCT substr(small, start, 3)), '{}')
  FROM lower(given COLLATE "und-x-icu") AS small, generate_series(1, length(small) - 2) AS start
);

ALTER TABLE concept
  ADD COLUMN has_values boolean GENERATED ALWAYS AS (permitted_values <> '[]') STORED,
  ADD COLUMN pieces text[] GENERATED ALWAYS AS (text_pieces(concept_name || ' ' || coalesce(concept_display_text, '') || ' '
    || coalesce(concept_explain, '') || ' ' || concept_code)) STORED,
  -- What is searched, small: made small anew for every row looked at, it would cost more than all else.
  ADD COLUMN searched text COLLATE "C" GENERATED ALWAYS AS (lower((concept_name || ' ' || coalesce(concept_display_text, '') || ' '
    || coalesce(concept_explain, '') || ' ' || concept_code) COLLATE "und-x-icu")) STORED;
CREATE INDEX concept_by_piece ON concept USING gin (pieces);
CREATE INDEX concept_by_values ON concept (has_values, concept_name, concept_guid);
-- Of two filters at once the rarest concepts would be looked for among many.
CREATE INDEX concept_by_types ON concept (concept_type, response_type, concept_name, concept_guid);
CREATE INDEX concept_by_lib_and_type ON concept (canonical_lib, concept_type, concept_name, concept_guid);
CREATE INDEX concept_by_lib_and_response ON concept (canonical_lib, response_type, concept_name, concept_guid);

-- How many concepts have the same library, types and whether values. Spread over rows, as those who write at once would otherwise wait
-- for each other.
CREATE TABLE concept_count (
  canonical_lib uuid NOT NULL,
  concept_type uuid,
  response_type uuid,
  has_values boolean NOT NULL,
  share integer NOT NULL,
  concepts bigint NOT NULL,
  CONSTRAINT concept_count_group UNIQUE NULLS NOT DISTINCT (canonical_lib, concept_type, response_type, has_values, share)
);

-- Nobody writes between the count and the triggers.
LOCK TABLE concept IN SHARE ROW EXCLUSIVE MODE;
INSERT INTO concept_count
  SELECT canonical_lib, concept_type, response_type, has_values, 0, count(*) FROM concept GROUP BY 1, 2, 3, 4;

-- In one order, so that two who move concepts between the same groups do not wait for each other for ever.
CREATE FUNCTION count_concepts() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO concept_count AS known
      SELECT canonical_lib, concept_type, response_type, has_values, pg_backend_pid() % 16, count(*)
      FROM added GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
    ON CONFLICT ON CONSTRAINT concept_count_group DO UPDATE SET concepts = known.concepts + excluded.concepts;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO concept_count AS known
      SELECT canonical_lib, concept_type, response_type, has_values, pg_backend_pid() % 16, -count(*)
      FROM removed GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
    ON CONFLICT ON CONSTRAINT concept_count_group DO UPDATE SET concepts = known.concepts + excluded.concepts;
  ELSE
    INSERT INTO concept_count AS known
      SELECT canonical_lib, concept_type, response_type, has_values, pg_backend_pid() % 16, sum(change) FROM (
        SELECT canonical_lib, concept_type, response_type, has_values, 1 AS change FROM added
        UNION ALL SELECT canonical_lib, concept_type, response_type, has_values, -1 FROM removed
      ) AS changes
      GROUP BY 1, 2, 3, 4 HAVING sum(change) <> 0 ORDER BY 1, 2, 3, 4
    ON CONFLICT ON CONSTRAINT concept_count_group DO UPDATE SET concepts = known.concepts + excluded.concepts;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER concept_added AFTER INSERT ON concept
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_concepts();
CREATE TRIGGER concept_removed AFTER DELETE ON concept
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_concepts();
CREATE TRIGGER concept_moved AFTER UPDATE ON concept
  REFERENCING NEW TABLE AS added OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_concepts();
