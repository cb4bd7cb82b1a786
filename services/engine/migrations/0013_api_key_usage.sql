-- How often each key was used, by day (decision E8). Nodes hand on what they have counted in batches, each of which counts once.
CREATE TABLE api_key_usage (
  key_guid uuid NOT NULL REFERENCES api_key ON DELETE CASCADE,
  day date NOT NULL,
  requests bigint NOT NULL,
  PRIMARY KEY (key_guid, day)
);
CREATE TABLE api_key_usage_batch (
  batch_guid uuid PRIMARY KEY,
  received_at timestamptz NOT NULL
);
CREATE INDEX api_key_usage_batch_age ON api_key_usage_batch (received_at);
