-- Search parameters that users define (docs/adr/0004).

-- Which parameters are known. Every write of a definition moves it on, and so does every change of what can be searched; nodes compare.
CREATE TABLE fhir_search_version (
  is_single boolean PRIMARY KEY DEFAULT true CHECK (is_single),
  -- Of everything that a node keeps in memory.
  version bigint NOT NULL,
  -- Of what is taken from resources when they are written.
  extraction bigint NOT NULL
);
INSERT INTO fhir_search_version (version, extraction) VALUES (0, 0);

-- One row for each base type of each SearchParameter resource that is used.
CREATE TABLE fhir_search_parameter (
  type text COLLATE "C" NOT NULL,
  code text COLLATE "C" NOT NULL,
  -- Id of the SearchParameter.
  resource_id text COLLATE "C" NOT NULL,
  definition jsonb NOT NULL,
  state text NOT NULL CHECK (state IN ('indexing', 'searchable', 'removing')),
  -- When every node may be taken to have stopped searching by what was before.
  starts_at timestamptz NOT NULL,
  -- A moment after the definition was committed: transactions from before it have to end first.
  fence timestamptz,
  -- The job's way through the resources of the type.
  after uuid,
  until uuid,
  done bigint NOT NULL DEFAULT 0,
  total bigint NOT NULL DEFAULT 0,
  holder uuid,
  leased_until timestamptz,
  PRIMARY KEY (type, code)
);
CREATE INDEX fhir_search_parameter_resource ON fhir_search_parameter (resource_id);

-- Resources written by a node that did not yet know the latest definitions: they are indexed again.
CREATE TABLE fhir_late_index (
  type integer NOT NULL,
  rid uuid NOT NULL
);
