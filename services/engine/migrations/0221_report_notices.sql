-- What providers have written about requests by FHIR, on its way to dispatch, which shows it in its match (docs/adr/0078).
CREATE TABLE report_notice (
  notice_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  request_guid uuid NOT NULL,
  -- As `Type/id`.
  reference text NOT NULL,
  -- The provider's person, as {"user_guid", "name"}; null for a key.
  person jsonb,
  attempt integer NOT NULL DEFAULT 0,
  next_at timestamptz NOT NULL,
  leased_until timestamptz,
  created_at timestamptz NOT NULL
);
CREATE INDEX report_notice_due ON report_notice (next_at);
