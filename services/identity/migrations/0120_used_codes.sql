-- Which one-time code a token was issued for: who presents the code again ends that token (RFC 6749 §4.1.2). The code itself is gone, as before.
ALTER TABLE issued_token ADD COLUMN code_hash bytea;

CREATE UNIQUE INDEX issued_token_code ON issued_token (code_hash) WHERE code_hash IS NOT NULL;

-- When the clients of the configuration were last used; those on record have it in their row.
CREATE TABLE configured_client_use (
  client_id text PRIMARY KEY,
  last_used_at timestamptz NOT NULL
);
