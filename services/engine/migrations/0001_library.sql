-- The library (decisions E6 and E7): lookup tables, concepts, activities with their transactions, goals, and the counter that
-- gives published plans their versions. Foreign keys are what "in use" means: nothing that is referred to can be deleted.

CREATE TABLE canonical_lib (
  canonical_lib_guid uuid PRIMARY KEY,
  name text NOT NULL,
  url text NOT NULL,
  version text,
  publisher text,
  description text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  -- One library for each version of a code system; at most one without a version.
  CONSTRAINT canonical_lib_url_version UNIQUE NULLS NOT DISTINCT (url, version)
);

CREATE TABLE concept_type (
  concept_type_guid uuid PRIMARY KEY,
  name text NOT NULL CONSTRAINT concept_type_name UNIQUE,
  description text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);

CREATE TABLE response_type (
  response_type_guid uuid PRIMARY KEY,
  name text NOT NULL CONSTRAINT response_type_name UNIQUE,
  fhir_type text NOT NULL,
  description text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);

CREATE TABLE unit (
  unit_guid uuid PRIMARY KEY,
  name text NOT NULL CONSTRAINT unit_name UNIQUE,
  ucum_code text NOT NULL,
  description text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);

CREATE TABLE concept (
  concept_guid uuid PRIMARY KEY,
  canonical_lib uuid NOT NULL REFERENCES canonical_lib,
  -- The code in the library's CodeSystem; the guid where the author gave none.
  concept_code text COLLATE "C" NOT NULL,
  concept_name text NOT NULL,
  concept_display_text text,
  concept_explain text,
  concept_type uuid REFERENCES concept_type,
  response_type uuid REFERENCES response_type,
  -- Permitted values in order: [{"code", "display"}].
  permitted_values jsonb NOT NULL DEFAULT '[]',
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT concept_code_in_lib UNIQUE (canonical_lib, concept_code)
);
CREATE INDEX concept_by_name ON concept (concept_name, concept_guid);
CREATE INDEX concept_by_lib ON concept (canonical_lib, concept_name, concept_guid);
CREATE INDEX concept_by_type ON concept (concept_type, concept_name, concept_guid);
CREATE INDEX concept_by_response ON concept (response_type, concept_name, concept_guid);

CREATE TABLE activity (
  activity_guid uuid PRIMARY KEY,
  name text NOT NULL,
  description text,
  concept uuid NOT NULL REFERENCES concept,
  status text NOT NULL CHECK (status IN ('draft', 'active', 'retired')),
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX activity_by_name ON activity (name, activity_guid);
CREATE INDEX activity_by_concept ON activity (concept);

CREATE TABLE activity_transaction (
  transaction_guid uuid PRIMARY KEY,
  activity_guid uuid NOT NULL REFERENCES activity ON DELETE CASCADE,
  name text NOT NULL,
  concept uuid NOT NULL REFERENCES concept,
  response_type uuid REFERENCES response_type,
  unit uuid REFERENCES unit,
  -- FHIR Timing.repeat.
  timing jsonb,
  required boolean NOT NULL,
  position integer NOT NULL CHECK (position >= 1),
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX activity_transaction_order ON activity_transaction (activity_guid, position, transaction_guid);
CREATE INDEX activity_transaction_by_concept ON activity_transaction (concept);
CREATE INDEX activity_transaction_by_response ON activity_transaction (response_type);
CREATE INDEX activity_transaction_by_unit ON activity_transaction (unit);

CREATE TABLE goal (
  goal_guid uuid PRIMARY KEY,
  name text NOT NULL,
  description text,
  concept uuid NOT NULL REFERENCES concept,
  comparator text,
  value numeric,
  low numeric,
  high numeric,
  unit uuid REFERENCES unit,
  -- FHIR Duration: {"value", "unit"}.
  due jsonb,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX goal_by_name ON goal (name, goal_guid);
CREATE INDEX goal_by_concept ON goal (concept);
CREATE INDEX goal_by_unit ON goal (unit);

CREATE TABLE goal_activity (
  goal_guid uuid NOT NULL REFERENCES goal ON DELETE CASCADE,
  activity_guid uuid NOT NULL REFERENCES activity,
  position integer NOT NULL,
  PRIMARY KEY (goal_guid, activity_guid)
);
CREATE INDEX goal_activity_by_activity ON goal_activity (activity_guid);

-- The latest version published under each plan url; its row lock gives concurrent publications different versions.
CREATE TABLE plan_series (
  url text PRIMARY KEY,
  latest_version integer NOT NULL
);
