-- Rotating keys and showing sessions (decisions I1, G8). A key's private part is sealed and is kept for as long as it signs; each token
-- names the key that signed it, so that a key is forgotten when its last token has expired.
ALTER TABLE signing_key ALTER COLUMN private_jwk DROP NOT NULL;
ALTER TABLE signing_key ADD COLUMN private_sealed bytea;

ALTER TABLE issued_token
  ADD COLUMN key_id text REFERENCES signing_key,
  -- Where the sign-in came from, as people recognise their sessions.
  ADD COLUMN address text,
  ADD COLUMN user_agent text;

-- There was no way to make a second key until now.
UPDATE issued_token SET key_id = (SELECT key_id FROM signing_key ORDER BY signs_from DESC LIMIT 1);

CREATE INDEX issued_token_key ON issued_token (key_id, expires_at);

-- A one-time code is exchanged by a server; the session is of the browser that signed in.
ALTER TABLE sign_in_code ADD COLUMN address text, ADD COLUMN user_agent text;

-- That the published keys changed, in the order of the feed of revocations. Kept: a node that was away must not miss it.
CREATE TABLE key_change (
  sequence bigint PRIMARY KEY,
  changed_at timestamptz NOT NULL
);
