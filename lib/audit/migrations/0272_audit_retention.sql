-- Events are never changed, and deleted only when their time of retention is over (docs/adr/0136). The setting is made by that transaction: a guard
-- against mistakes, as that of audit_look is.
CREATE OR REPLACE TRIGGER audit_event_append_only
  BEFORE UPDATE OR TRUNCATE ON audit_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_event_kept
  BEFORE DELETE ON audit_event
  FOR EACH STATEMENT WHEN (current_setting('kedja.removes_audit_events', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION refuse_audit_change();
