-- The access log of a patient (decision L4, docs/adr/0075): which audit events concern them, in the order of time, and who and which units took part.
-- Rows are written with the AuditEvents, which the shippers of all services bring here after the response: no request waits for them.
CREATE TABLE access_log_entry (
  patient_id text COLLATE "C" NOT NULL,
  recorded_at timestamptz NOT NULL,
  event_guid uuid NOT NULL,
  -- The service that recorded the event.
  service text NOT NULL,
  PRIMARY KEY (patient_id, recorded_at, event_guid)
);

-- A party is `user/…`, `organisation/…` and so on; by it the log is filtered.
CREATE TABLE access_log_party (
  patient_id text COLLATE "C" NOT NULL,
  party text COLLATE "C" NOT NULL,
  recorded_at timestamptz NOT NULL,
  event_guid uuid NOT NULL,
  service text NOT NULL,
  PRIMARY KEY (patient_id, party, recorded_at, event_guid)
);

-- How far the AuditEvents from before have been entered. Nodes of the release before do not write entries: what they bring during the upgrade is entered by
-- a second run an hour later.
CREATE TABLE access_log_backfill (
  is_single boolean PRIMARY KEY DEFAULT true CHECK (is_single),
  after uuid NOT NULL,
  run integer NOT NULL,
  starts_at timestamptz NOT NULL,
  finished_at timestamptz
);
INSERT INTO access_log_backfill (after, run, starts_at) VALUES ('00000000-0000-0000-0000-000000000000', 1, now());

-- What providers, users and keys of the engine were called, and since when. Rows stay when their subject is deleted.
CREATE TABLE known_name (
  party text COLLATE "C" NOT NULL,
  valid_from timestamptz NOT NULL,
  name text NOT NULL,
  role text,
  PRIMARY KEY (party, valid_from)
);

CREATE FUNCTION remember_name() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  -- The kind of party, and the column of its guid.
  guid text := to_jsonb(NEW) ->> TG_ARGV[1];
BEGIN
  INSERT INTO known_name (party, valid_from, name, role)
  VALUES (TG_ARGV[0] || '/' || guid, clock_timestamp(), NEW.name, to_jsonb(NEW) ->> 'role')
  ON CONFLICT (party, valid_from) DO UPDATE SET name = excluded.name, role = excluded.role;
  RETURN NULL;
END
$$;

CREATE TRIGGER provider_known_name AFTER INSERT OR UPDATE OF name ON provider FOR EACH ROW
  EXECUTE FUNCTION remember_name('provider', 'provider_guid');
CREATE TRIGGER engine_user_known_name AFTER INSERT OR UPDATE OF name, role ON engine_user FOR EACH ROW
  EXECUTE FUNCTION remember_name('engine-user', 'user_guid');
CREATE TRIGGER api_key_known_name AFTER INSERT OR UPDATE OF name ON api_key FOR EACH ROW
  EXECUTE FUNCTION remember_name('api-key', 'key_guid');

INSERT INTO known_name (party, valid_from, name) SELECT 'provider/' || provider_guid, created_at, name FROM provider;
INSERT INTO known_name (party, valid_from, name, role) SELECT 'engine-user/' || user_guid, created_at, name, role FROM engine_user;
INSERT INTO known_name (party, valid_from, name) SELECT 'api-key/' || key_guid, created_at, name FROM api_key;
