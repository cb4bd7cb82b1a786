-- Who wants a digest of notifications by mail, and when the next is due. No row: none. A claim is a lease with an attempt number.
CREATE TABLE notification_digest (
  user_id text PRIMARY KEY,
  frequency text NOT NULL CHECK (frequency IN ('hourly', 'daily')),
  language text NOT NULL CHECK (language IN ('sv', 'en')),
  -- How far the lists have been in a digest: a cursor, as that of the stream.
  covered text NOT NULL,
  next_at timestamptz NOT NULL,
  attempt integer NOT NULL DEFAULT 0,
  lease_until timestamptz,
  updated_at timestamptz NOT NULL
);
CREATE INDEX notification_digest_due ON notification_digest (next_at);
