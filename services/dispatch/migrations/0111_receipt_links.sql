-- Links to the page for providers without a system, which planners hand over (docs/adr/0071). Only the hash of a link's token is here. A request has
-- at most one link that works; those before it answer that they have ended.
CREATE TABLE receipt_link (
  link_guid uuid PRIMARY KEY,
  request_guid uuid NOT NULL REFERENCES receipt,
  token_hash bytea NOT NULL,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL,
  is_mailed boolean NOT NULL,
  ended_at timestamptz,
  ended_reason text CHECK (ended_reason IN ('renewed', 'withdrawn')),
  CONSTRAINT receipt_link_token UNIQUE (token_hash),
  CHECK ((ended_at IS NULL) = (ended_reason IS NULL))
);
CREATE UNIQUE INDEX receipt_link_live ON receipt_link (request_guid) WHERE ended_at IS NULL;
CREATE INDEX receipt_link_request ON receipt_link (request_guid, link_guid);
