-- A dead letter may be discarded by an administrator, with the reason: nobody sends it again (docs/adr/0106). The rows that are there meet the
-- narrower rule before, so none is read. The release before knows no such reason, and shows it as it is.
ALTER TABLE delivery DROP CONSTRAINT delivery_cancelled_reason_check;
ALTER TABLE delivery ADD CONSTRAINT delivery_cancelled_reason_check
  CHECK (cancelled_reason IN ('withdrawn', 'revoked', 'expired', 'rejected', 'consent', 'endpoint_removed', 'discarded')) NOT VALID;
ALTER TABLE delivery ADD COLUMN discard_reason text;
