-- How many audit events a patient has in each month that is over (docs/adr/0154). A search counts by these rows, and leaves out months without events.
CREATE TABLE access_event_patient (
  patient uuid NOT NULL,
  -- Its first moment, in milliseconds since 1970.
  month bigint NOT NULL,
  -- Null when an event came after the month was counted, until it is counted again.
  events integer,
  PRIMARY KEY (patient, month) INCLUDE (events)
);
CREATE INDEX ON access_event_patient (month);
CREATE INDEX access_event_patient_late ON access_event_patient (month, patient) WHERE events IS NULL;

-- Patients are counted in the order of their keys: those up to `counted_to` are. All of them have been at `counted_at`.
ALTER TABLE access_event_month ADD COLUMN counted_to uuid;
ALTER TABLE access_event_month ADD COLUMN counted_at timestamptz;

-- On the partition of a month that is counted, or being counted. The lock is taken before any row, so that two writers do not deadlock.
CREATE FUNCTION mark_late_access_event() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NEW.patient IS NOT NULL THEN
    PERFORM pg_advisory_xact_lock(hashtext(TG_TABLE_SCHEMA || '.access_event_late'));
    INSERT INTO access_event_patient AS p (patient, month, events) VALUES (NEW.patient, TG_ARGV[0]::bigint, NULL)
    ON CONFLICT (patient, month) DO UPDATE SET events = NULL WHERE p.events IS NOT NULL;
  END IF;
  RETURN NULL;
END
$$;
