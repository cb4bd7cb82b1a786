-- Who made or finalized a request, when that is a person who works in its organisation: notifications of it go to them.
ALTER TABLE service_request ADD COLUMN requester_id text;

-- The last position of each list of notifications: `organisation/<guid>` or `provider/<guid>`. Positions are taken under this row's lock, held
-- until commit: they are in commit order and without gaps, so a reader that has seen position n misses nothing before it. In the order of
-- locks it comes last.
CREATE TABLE notification_feed (
  feed_key text PRIMARY KEY,
  position bigint NOT NULL
);

-- What somebody should know of (docs/adr/0070): identifiers alone, no name and no text of a person.
CREATE TABLE notification (
  notification_guid uuid PRIMARY KEY,
  feed_key text NOT NULL,
  kind text NOT NULL,
  -- Null: for everyone who reads this list.
  addressee_id text,
  -- Whether the addressee has not read it yet.
  is_open boolean NOT NULL,
  service_request_id uuid NOT NULL,
  match_guid uuid,
  request_guid uuid,
  patient_guid text NOT NULL,
  position bigint NOT NULL,
  -- Where it is in the list for those to whom it was not addressed; set when the addressee has not read it for a day.
  shared_position bigint,
  created_at timestamptz NOT NULL,
  CONSTRAINT notification_place UNIQUE (feed_key, position)
);
CREATE INDEX notification_shared ON notification (feed_key, shared_position) WHERE shared_position IS NOT NULL;
CREATE INDEX notification_list ON notification (feed_key, notification_guid);
CREATE INDEX notification_unread ON notification (created_at) WHERE is_open AND addressee_id IS NOT NULL AND shared_position IS NULL;
CREATE INDEX notification_age ON notification (created_at);

CREATE TABLE notification_read (
  reader_id text NOT NULL,
  notification_guid uuid NOT NULL REFERENCES notification ON DELETE CASCADE,
  read_at timestamptz NOT NULL,
  PRIMARY KEY (reader_id, notification_guid)
);
CREATE INDEX notification_read_of ON notification_read (notification_guid);
