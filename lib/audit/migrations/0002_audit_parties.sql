-- What the record is looked through by: which event, how it ended, who did it and whose account it was (users of identity). The
-- services that list their own record index them; events of before have none.
ALTER TABLE audit_event
  ADD COLUMN event text,
  ADD COLUMN outcome text,
  ADD COLUMN actor_guid uuid,
  ADD COLUMN subject_guid uuid;
