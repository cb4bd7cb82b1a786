-- Providers, the contracts that say what each may be asked to do (decision E9), and API keys (E8).

CREATE TABLE provider (
  provider_guid uuid PRIMARY KEY,
  name text NOT NULL,
  organisation_guid uuid,
  region text NOT NULL,
  status text NOT NULL CHECK (status IN ('active', 'inactive')),
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX provider_by_name ON provider (name, provider_guid);

CREATE TABLE contract (
  contract_guid uuid PRIMARY KEY,
  provider_guid uuid NOT NULL REFERENCES provider,
  organisation_guid uuid,
  region text,
  valid_from date NOT NULL,
  valid_to date,
  status text NOT NULL CHECK (status IN ('active', 'inactive')),
  -- "system|code" of each code, as the array index compares them.
  code_keys text[] NOT NULL,
  codes jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CHECK (valid_to IS NULL OR valid_to >= valid_from)
);
CREATE INDEX contract_by_provider ON contract (provider_guid, contract_guid);
CREATE INDEX contract_by_code ON contract USING gin (code_keys);

CREATE TABLE api_key (
  key_guid uuid PRIMARY KEY,
  name text NOT NULL,
  prefix text NOT NULL,
  -- SHA-256 of the key; a key has 256 random bits, so no slow hash is needed.
  key_hash bytea NOT NULL CONSTRAINT api_key_hash UNIQUE,
  -- The key before the last rotation, while its grace period runs.
  previous_hash bytea CONSTRAINT api_key_previous_hash UNIQUE,
  previous_until timestamptz,
  scopes text[] NOT NULL,
  provider_guid uuid REFERENCES provider,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX api_key_by_provider ON api_key (provider_guid);
