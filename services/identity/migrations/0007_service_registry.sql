-- Documents that all nodes share; the service registry is one of them (decision I14).
CREATE TABLE shared_document (
  name text PRIMARY KEY,
  content text NOT NULL,
  changed_at timestamptz NOT NULL
);
