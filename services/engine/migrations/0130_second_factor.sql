-- The second factor of the engine's own users (docs/adr/0046), as identity keeps those of its own. The release before does not ask for it.
ALTER TABLE engine_user
  ADD second_factor_sealed bytea,
  -- The last time step that a code was accepted for, so that each code counts once.
  ADD second_factor_step bigint,
  ADD second_factor_since timestamptz,
  ADD CONSTRAINT engine_user_second_factor CHECK (
    (second_factor_sealed IS NULL) = (second_factor_step IS NULL)
    AND (second_factor_sealed IS NULL) = (second_factor_since IS NULL)
  );

CREATE TABLE second_factor_setup (
  user_guid uuid PRIMARY KEY REFERENCES engine_user ON DELETE CASCADE,
  secret_sealed bytea NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX second_factor_setup_expires ON second_factor_setup (expires_at);

-- A hash of each recovery code that is left, of 80 random bits.
CREATE TABLE recovery_code (
  user_guid uuid NOT NULL REFERENCES engine_user ON DELETE CASCADE,
  code_index bytea NOT NULL,
  PRIMARY KEY (user_guid, code_index)
);
