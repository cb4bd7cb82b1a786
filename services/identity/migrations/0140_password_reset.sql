-- Recovery of forgotten passwords (docs/adr/0067). Links go by mail, codes from an administrator or an operator.
CREATE TABLE password_reset (
  -- SHA-256 of the link's token (256 random bits) or of the code (80 random bits).
  secret_hash bytea PRIMARY KEY,
  user_guid uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('link', 'code')),
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);

CREATE INDEX password_reset_user ON password_reset (user_guid);
CREATE INDEX password_reset_created ON password_reset (created_at);
-- A new code replaces the one before.
CREATE UNIQUE INDEX password_reset_code ON password_reset (user_guid) WHERE kind = 'code';

-- Requests for a link, for known and unknown addresses alike. A worker takes them after the response.
CREATE TABLE password_reset_request (
  request_guid uuid PRIMARY KEY,
  email_key text NOT NULL,
  language text NOT NULL,
  address text NOT NULL,
  request_id text NOT NULL,
  created_at timestamptz NOT NULL
);
