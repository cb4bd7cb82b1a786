-- One session of a browser for all services (decision L11, docs/adr/0080). The cookie has a secret, of which only the hash is stored.
CREATE TABLE browser_session (
  session_guid uuid PRIMARY KEY,
  secret_hash bytea NOT NULL UNIQUE,
  user_guid uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
  -- Whether the sign-in proved a second factor.
  has_second_factor boolean NOT NULL,
  created_at timestamptz NOT NULL,
  last_used_at timestamptz NOT NULL,
  address text,
  user_agent text
);

CREATE INDEX browser_session_user ON browser_session (user_guid);

-- Where this session has been taken with the user's knowledge: an origin with a path.
CREATE TABLE browser_session_target (
  session_guid uuid NOT NULL REFERENCES browser_session ON DELETE CASCADE,
  target text NOT NULL,
  PRIMARY KEY (session_guid, target)
);

-- A token or code that belongs to a session ends with it. A token that is kept when its session ends belongs to none any more.
ALTER TABLE issued_token
  ADD COLUMN session_guid uuid REFERENCES browser_session ON DELETE SET NULL,
  ADD COLUMN destination text;
ALTER TABLE sign_in_code ADD COLUMN session_guid uuid REFERENCES browser_session ON DELETE CASCADE;

CREATE INDEX issued_token_session ON issued_token (session_guid) WHERE session_guid IS NOT NULL;
CREATE INDEX sign_in_code_session ON sign_in_code (session_guid) WHERE session_guid IS NOT NULL;
