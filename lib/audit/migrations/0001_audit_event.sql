-- The append-only record of who did what to whose data (decision G9), as FHIR R5 AuditEvents, and the outbox from which the
-- engine, where they are searched, collects them.
CREATE TABLE audit_event (
  event_guid uuid PRIMARY KEY,
  recorded_at timestamptz NOT NULL,
  resource text NOT NULL
);

CREATE TABLE audit_outbox (
  event_guid uuid PRIMARY KEY,
  -- When it may be shipped again: an event that its receiver refused waits, so that it does not hold up the others.
  next_at timestamptz NOT NULL DEFAULT '-infinity'
);

CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit events are append-only';
END
$$;

CREATE TRIGGER audit_event_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
