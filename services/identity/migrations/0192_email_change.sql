-- A new e-mail address of a user, which a code sent there proves (decision L12, docs/adr/0081). One at a time.
CREATE TABLE email_change (
  user_guid uuid PRIMARY KEY REFERENCES app_user ON DELETE CASCADE,
  -- SHA-256 of 80 random bits.
  code_hash bytea NOT NULL,
  email text NOT NULL,
  email_key text NOT NULL,
  wrong_codes integer NOT NULL DEFAULT 0,
  -- The requests of the last hour.
  requested_at timestamptz[] NOT NULL,
  expires_at timestamptz NOT NULL
);
