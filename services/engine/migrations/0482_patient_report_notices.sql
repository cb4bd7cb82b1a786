-- What patients have reported by FHIR, on its way to dispatch, which notifies planners of it (docs/adr/0070, docs/adr/0072).
CREATE TABLE patient_report_notice (
  notice_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- The Patient that it is about, then the other ids under which dispatch may have the person.
  patient_ids text[] NOT NULL,
  -- The owner of the report.
  organisation text NOT NULL,
  resource_type text NOT NULL,
  -- Plans and requests, as `Type/id`.
  based_on text[] NOT NULL,
  attempt integer NOT NULL DEFAULT 0,
  next_at timestamptz NOT NULL,
  leased_until timestamptz,
  created_at timestamptz NOT NULL
);
CREATE INDEX patient_report_notice_due ON patient_report_notice (next_at);
