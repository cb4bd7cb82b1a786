-- Of a text that is looked for every second piece of three letters is enough, and its last: together they hold all of it. Each more is another long
-- row of concepts to go through, and what is found so is compared with the whole text anyway (migration 0014).
CREATE FUNCTION pieces_to_find(given text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN (
  SELECT coalesce(array_agg(DISTINCT substr(small, start, 3)), '{}')
  FROM lower(given COLLATE "und-x-icu") AS small, generate_series(1, length(small) - 2) AS start
  WHERE start % 2 = 1 OR start = length(small) - 2
);
