-- Clients on record (docs/adr/0054): relying applications and services of others, beside those of the configuration.
CREATE TABLE client (
  client_id text PRIMARY KEY,
  name text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('application', 'service')),
  -- Of an application that can keep no secret (RFC 6749 §2.1): an app on a device, or a page.
  is_public boolean NOT NULL,
  -- SHA-256 of 256 random bits; the one before holds for a while after a rotation.
  secret_hash bytea,
  previous_secret_hash bytea,
  previous_secret_until timestamptz,
  -- The audience of the tokens that it is given.
  audience text NOT NULL,
  calls text[] NOT NULL,
  -- Each compared as a string (RFC 9700 §2.1).
  redirects text[] NOT NULL,
  disabled_at timestamptz,
  created_at timestamptz NOT NULL,
  -- The guid of a user, or the account of an operator on the machine.
  created_by text NOT NULL,
  changed_at timestamptz NOT NULL,
  rotated_at timestamptz,
  last_used_at timestamptz,
  CHECK (is_public = (secret_hash IS NULL)),
  CHECK ((previous_secret_hash IS NULL) = (previous_secret_until IS NULL)),
  CHECK (kind = 'application' OR (NOT is_public AND redirects = '{}'))
);

-- Nobody is to take one for another.
CREATE UNIQUE INDEX client_spelling ON client (lower(client_id));

-- One row, with a number that is another one after each change: by it nodes know that what they hold is old.
CREATE TABLE client_version (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  version bigint NOT NULL
);

INSERT INTO client_version (version) VALUES (1);

-- For which client a sign-in is; null where none was named. The hash of such a code is made with the client's id, so that the release before finds none of them.
ALTER TABLE sign_in_code ADD COLUMN client_id text;
ALTER TABLE sign_in_challenge ADD COLUMN client_id text;
ALTER TABLE issued_token ADD COLUMN client_id text;

CREATE INDEX sign_in_code_client ON sign_in_code (client_id) WHERE client_id IS NOT NULL;
CREATE INDEX sign_in_challenge_client ON sign_in_challenge (client_id) WHERE client_id IS NOT NULL;
CREATE INDEX issued_token_client ON issued_token (client_id) WHERE client_id IS NOT NULL;
