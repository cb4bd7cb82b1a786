-- The FHIR store (docs/adr/0004). A resource is known by (type, rid): type is the key of the resource type's name, rid the id itself
-- when that is a guid and else a digest of it. rid is the column by which every table here may be partitioned or distributed.

-- The current version of each resource, as the text that is sent. A deleted resource keeps its row, so that a read answers
-- "deleted" and a re-created id continues its versions.
CREATE TABLE fhir_resource (
  type integer NOT NULL,
  rid uuid NOT NULL,
  version integer NOT NULL,
  updated_at timestamptz NOT NULL,
  organisation uuid,
  deleted boolean NOT NULL DEFAULT false,
  id text COLLATE "C",
  content text NOT NULL,
  PRIMARY KEY (type, rid)
);
COMMENT ON COLUMN fhir_resource.id IS 'the id where it is not rid itself';
CREATE INDEX fhir_resource_updated ON fhir_resource (type, updated_at, rid);
CREATE INDEX fhir_resource_organisation ON fhir_resource (organisation, type, rid) WHERE organisation IS NOT NULL;

-- Superseded versions.
CREATE TABLE fhir_history (
  type integer NOT NULL,
  rid uuid NOT NULL,
  version integer NOT NULL,
  updated_at timestamptz NOT NULL,
  organisation uuid,
  deleted boolean NOT NULL,
  id text COLLATE "C",
  content text NOT NULL,
  PRIMARY KEY (type, rid, version)
);
CREATE INDEX fhir_history_updated ON fhir_history (type, updated_at, rid);

-- The search index: for each value of each parameter one row. Every index answers "which resources have this value" in the order of
-- rid, and "has this resource this value", without visiting the table.
CREATE TABLE fhir_token (
  type integer NOT NULL,
  param integer NOT NULL,
  system bigint NOT NULL,
  rid uuid NOT NULL,
  code text COLLATE "C" NOT NULL
);
CREATE INDEX fhir_token_value ON fhir_token (param, code, rid, system);
CREATE INDEX fhir_token_rid ON fhir_token (rid);

CREATE TABLE fhir_reference (
  type integer NOT NULL,
  param integer NOT NULL,
  target_type integer NOT NULL,
  target uuid NOT NULL,
  rid uuid NOT NULL
);
CREATE INDEX fhir_reference_value ON fhir_reference (param, target, rid, target_type);
CREATE INDEX fhir_reference_rid ON fhir_reference (rid, param);

CREATE TABLE fhir_string (
  type integer NOT NULL,
  param integer NOT NULL,
  rid uuid NOT NULL,
  value text COLLATE "C" NOT NULL,
  exact text COLLATE "C"
);
CREATE INDEX fhir_string_value ON fhir_string (param, value, rid);
CREATE INDEX fhir_string_rid ON fhir_string (rid);

CREATE TABLE fhir_date (
  type integer NOT NULL,
  param integer NOT NULL,
  low bigint NOT NULL,
  high bigint NOT NULL,
  rid uuid NOT NULL
);
CREATE INDEX fhir_date_low ON fhir_date (param, low, high, rid);
CREATE INDEX fhir_date_high ON fhir_date (param, high, low, rid);
CREATE INDEX fhir_date_rid ON fhir_date (rid);

CREATE TABLE fhir_quantity (
  type integer NOT NULL,
  param integer NOT NULL,
  low double precision NOT NULL,
  high double precision NOT NULL,
  system bigint NOT NULL,
  rid uuid NOT NULL,
  code text COLLATE "C",
  unit text COLLATE "C"
);
CREATE INDEX fhir_quantity_low ON fhir_quantity (param, low, high, rid, system, code, unit);
CREATE INDEX fhir_quantity_rid ON fhir_quantity (rid);

CREATE TABLE fhir_uri (
  type integer NOT NULL,
  param integer NOT NULL,
  rid uuid NOT NULL,
  value text COLLATE "C" NOT NULL
);
CREATE INDEX fhir_uri_value ON fhir_uri (param, value, rid);
CREATE INDEX fhir_uri_rid ON fhir_uri (rid);
