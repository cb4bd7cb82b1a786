-- How far the index of each type has been computed anew (docs/operations/reindex.md). A run is the rows that are not finished; whoever holds
-- the lease of one works on it.
CREATE TABLE fhir_reindex (
  type text COLLATE "C" PRIMARY KEY,
  -- The last rid that is done.
  after uuid,
  -- The last rid when the type was begun: what is written later is written with its rows.
  until uuid NOT NULL,
  done bigint NOT NULL DEFAULT 0,
  -- As counted when the type was begun.
  total bigint NOT NULL,
  holder uuid,
  leased_until timestamptz,
  finished_at timestamptz
);
