-- What was reported of a task in the inbox: a row for each report, so that the provider's staff can read it afterwards. The resources
-- are FHIR records; a row has their addresses. It never changes.
CREATE TABLE provider_task_report (
  report_guid uuid PRIMARY KEY,
  request_guid uuid NOT NULL REFERENCES provider_task,
  status text NOT NULL CHECK (status IN ('partial', 'final')),
  note text,
  -- The person; null for a key and for the holder of a receipt token.
  reported_by_guid uuid,
  reported_by_name text,
  resources text[] NOT NULL,
  reported_at timestamptz NOT NULL
);
CREATE INDEX provider_task_report_of_task ON provider_task_report (request_guid, reported_at DESC, report_guid DESC);
