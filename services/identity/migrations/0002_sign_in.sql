-- Tokens: the keys that sign them, which were issued, which are revoked and in what order (decisions G8 and I1); and what
-- signing in needs besides: failures per account (I2) and one-time codes (I3).
CREATE TABLE signing_key (
  key_id text PRIMARY KEY,
  public_jwk jsonb NOT NULL,
  private_jwk jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  -- Published before it signs, and for as long as a token that it signed may live.
  signs_from timestamptz NOT NULL,
  published_until timestamptz
);

-- So that "the user's other tokens" can be revoked exactly.
CREATE TABLE issued_token (
  token_id uuid PRIMARY KEY,
  user_guid uuid NOT NULL,
  issued_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);

CREATE INDEX issued_token_user ON issued_token (user_guid);
CREATE INDEX issued_token_expires ON issued_token (expires_at);

-- One row. Whoever appends to the feed holds its lock until the commit, so sequence numbers are in commit order.
CREATE TABLE revocation_counter (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  last bigint NOT NULL
);

INSERT INTO revocation_counter (last) VALUES (0);

CREATE TABLE revoked_token (
  token_id uuid PRIMARY KEY,
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz NOT NULL,
  sequence bigint NOT NULL UNIQUE
);

CREATE INDEX revoked_token_expires ON revoked_token (expires_at);

CREATE TABLE user_change (
  sequence bigint PRIMARY KEY,
  user_guid uuid NOT NULL,
  changed_at timestamptz NOT NULL
);

CREATE INDEX user_change_changed ON user_change (changed_at);

-- Accounts are named by a hash of the address, whether they exist or not, so that both look the same from outside.
CREATE TABLE login_failure (
  account bytea PRIMARY KEY,
  failed_at timestamptz[] NOT NULL,
  lock_count integer NOT NULL DEFAULT 0,
  locked_until timestamptz,
  last_failed_at timestamptz NOT NULL
);

CREATE INDEX login_failure_last ON login_failure (last_failed_at);

CREATE TABLE sign_in_code (
  code_hash bytea PRIMARY KEY,
  user_guid uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
  next text NOT NULL,
  expires_at timestamptz NOT NULL
);

CREATE INDEX sign_in_code_expires ON sign_in_code (expires_at);
CREATE INDEX sign_in_code_user ON sign_in_code (user_guid);
