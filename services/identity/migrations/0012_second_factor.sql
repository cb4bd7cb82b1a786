-- The second factor of professionals: its sealed secret with the last time step that a code was accepted for, so that each code
-- counts once; set-ups that wait for their first code; recovery codes; and sign-ins that wait for a code.
ALTER TABLE app_user
  ADD second_factor_sealed bytea,
  ADD second_factor_step bigint,
  ADD second_factor_since timestamptz,
  ADD CONSTRAINT app_user_second_factor CHECK (
    (second_factor_sealed IS NULL) = (second_factor_step IS NULL)
    AND (second_factor_sealed IS NULL) = (second_factor_since IS NULL)
    AND (second_factor_sealed IS NULL OR user_type = 'professional')
  );

CREATE TABLE second_factor_setup (
  user_guid uuid PRIMARY KEY REFERENCES professional ON DELETE CASCADE,
  secret_sealed bytea NOT NULL,
  expires_at timestamptz NOT NULL
);

CREATE INDEX second_factor_setup_expires ON second_factor_setup (expires_at);

-- A keyed index (an HMAC) of each code that is left.
CREATE TABLE recovery_code (
  user_guid uuid NOT NULL REFERENCES professional ON DELETE CASCADE,
  code_index bytea NOT NULL,
  PRIMARY KEY (user_guid, code_index)
);

-- The password was right. `code`: a code is awaited; `set_up`: the first code of a new second factor; `continue`: nothing more.
CREATE TABLE sign_in_challenge (
  challenge_hash bytea PRIMARY KEY,
  user_guid uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('code', 'set_up', 'continue')),
  -- The handshake that the sign-in belongs to.
  next text,
  state text,
  response_mode text CHECK (response_mode IN ('token', 'code')),
  wrong_codes smallint NOT NULL DEFAULT 0,
  expires_at timestamptz NOT NULL
);

CREATE INDEX sign_in_challenge_expires ON sign_in_challenge (expires_at);
CREATE INDEX sign_in_challenge_user ON sign_in_challenge (user_guid);
