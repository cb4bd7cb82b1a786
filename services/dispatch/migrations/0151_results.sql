-- The results that a provider reported to dispatch (decision L9, docs/adr/0078): stored with the status, and on their way to the
-- engine until `delivered_at`. The text is removed then.
CREATE TABLE result_report (
  report_guid uuid PRIMARY KEY,
  request_guid uuid NOT NULL,
  -- SHA-256 of what was sent, so that the same report counts once.
  content_sha256 bytea NOT NULL,
  -- The resources as `Type/id`.
  resources text[] NOT NULL,
  -- The body of the call to the engine.
  body text,
  attempt integer NOT NULL DEFAULT 0,
  next_at timestamptz NOT NULL,
  leased_until timestamptz,
  delivered_at timestamptz,
  -- Set when the engine refused it for good; kept for the operator.
  refused_at timestamptz,
  refusal text,
  created_at timestamptz NOT NULL,
  CONSTRAINT result_report_once UNIQUE (request_guid, content_sha256)
);
CREATE INDEX result_report_due ON result_report (next_at) WHERE delivered_at IS NULL AND refused_at IS NULL;
