-- External FHIR and terminology servers that were registered through the API (decision E11); those of KEDJA_SERVERS_FILE are not stored.
CREATE TABLE external_server (
  name text COLLATE "C" PRIMARY KEY,
  url text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('fhir', 'terminology')),
  -- How it is signed in to, without the secret.
  auth jsonb NOT NULL,
  -- The password, token or client secret, sealed under a key that is not in the database.
  secret bytea,
  timeout_ms integer NOT NULL CHECK (timeout_ms > 0),
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
