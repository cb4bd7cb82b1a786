-- Closure tables of clients ($closure; docs/adr/0108): the concepts that a client uses, and which of them subsume which.
CREATE TABLE closure_table (
  closure_guid uuid PRIMARY KEY,
  -- The caller who made it; nobody else may name it.
  owner text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  -- Rises with each change; begins again at no time.
  version integer NOT NULL,
  -- The version of the last initialisation: entries of earlier ones are gone.
  first_version integer NOT NULL,
  used_at timestamptz NOT NULL,
  UNIQUE (owner, name)
);
CREATE TABLE closure_concept (
  closure_guid uuid NOT NULL REFERENCES closure_table ON DELETE CASCADE,
  system text COLLATE "C" NOT NULL,
  code text COLLATE "C" NOT NULL,
  PRIMARY KEY (closure_guid, system, code)
);
-- One code of a system below another one.
CREATE TABLE closure_entry (
  closure_guid uuid NOT NULL REFERENCES closure_table ON DELETE CASCADE,
  version integer NOT NULL,
  system text COLLATE "C" NOT NULL,
  narrower text COLLATE "C" NOT NULL,
  broader text COLLATE "C" NOT NULL,
  PRIMARY KEY (closure_guid, version, system, narrower, broader)
);
