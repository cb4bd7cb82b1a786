-- The last attempt of a delivery is in its row, which a claim and a record update anyway (docs/adr/0153). Earlier ones are in delivery_attempt, where the
-- claim of the next one puts them. So most deliveries, which need one attempt, have no row there.
ALTER TABLE delivery
  -- Its number; null while there was no attempt, and for deliveries of earlier releases, all of whose attempts are in delivery_attempt.
  ADD COLUMN last_attempt integer,
  ADD COLUMN last_started_at timestamptz,
  ADD COLUMN last_duration_ms integer,
  ADD COLUMN last_http_status integer,
  ADD COLUMN last_outcome text,
  ADD COLUMN last_answer text;

-- All attempts. A delivery without a last attempt is a row whose number is null: PostgreSQL looks up single deliveries in both parts only if neither has a
-- condition.
CREATE VIEW every_attempt AS
  SELECT delivery_guid, attempt, started_at, duration_ms, http_status, outcome, answer FROM delivery_attempt
  UNION ALL
  SELECT delivery_guid, last_attempt, last_started_at, last_duration_ms, last_http_status, last_outcome, last_answer FROM delivery;
