-- Requests sent with an Idempotency-Key, for a day. Nothing here can be read without the service's key: who sent which key to which
-- address is a keyed hash, so is the body, and the answer is sealed.
CREATE TABLE idempotency_key (
  record bytea PRIMARY KEY,
  fingerprint bytea NOT NULL,
  -- The attempt that holds the key; another may take it over when the lease has ended without an effect.
  attempt_guid uuid NOT NULL,
  lease_until timestamptz NOT NULL,
  -- Set in the transaction of the effect itself.
  has_effect boolean NOT NULL DEFAULT false,
  answer bytea,
  expires_at timestamptz NOT NULL
);

CREATE INDEX idempotency_key_expires_at ON idempotency_key (expires_at);
