-- Looks at records as they are noted before the answer leaves: all that waited at once in one row. They become AuditEvents, one for each
-- patient concerned, soon after (docs/adr/0011); a row is deleted by the transaction that writes its events.
CREATE TABLE audit_look (
  batch_guid uuid PRIMARY KEY,
  recorded_at timestamptz NOT NULL,
  -- How many versions were seen: what is unpacked at once is bounded by it.
  size integer NOT NULL,
  looks text NOT NULL,
  -- When it may be unpacked again: one that could not be does not hold up the others.
  next_at timestamptz NOT NULL DEFAULT '-infinity'
);

CREATE FUNCTION refuse_audit_look_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'looks are kept until their audit events are written';
END
$$;

CREATE TRIGGER audit_look_unchanged
  BEFORE UPDATE OF batch_guid, recorded_at, size, looks ON audit_look
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_look_change();

CREATE TRIGGER audit_look_kept
  BEFORE TRUNCATE ON audit_look
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_look_change();

-- The setting is made by the unpacking transaction: a guard against mistakes, as that of audit_event is.
CREATE TRIGGER audit_look_unpacked
  BEFORE DELETE ON audit_look
  FOR EACH STATEMENT WHEN (current_setting('kedja.unpacks_looks', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION refuse_audit_look_change();
