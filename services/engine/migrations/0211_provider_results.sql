-- The reports of providers that dispatch has sent and that are stored (decision L9, docs/adr/0078), so that each is stored once.
CREATE TABLE provider_result (
  report_guid uuid PRIMARY KEY,
  request_guid uuid NOT NULL,
  stored_at timestamptz NOT NULL
);
