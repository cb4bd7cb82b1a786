-- The erasures of data by `kedja erase` (docs/adr/0131), each in the schema of every service. No row has personal data beyond the ids of records.
CREATE TABLE erasure (
  erasure_guid uuid PRIMARY KEY,
  -- What was named, as ids of records by service.
  target jsonb NOT NULL,
  -- Reference of the decision, and who decided.
  ground text NOT NULL,
  decided_by text NOT NULL,
  -- The account on the machine.
  operator text NOT NULL,
  begun_at timestamptz NOT NULL,
  -- Set in the transaction that erased this service's part, with what it removed.
  erased_at timestamptz,
  result jsonb,
  -- The certificate; null until all services are done.
  certificate jsonb
);
CREATE INDEX erasure_open ON erasure (begun_at) WHERE certificate IS NULL;
