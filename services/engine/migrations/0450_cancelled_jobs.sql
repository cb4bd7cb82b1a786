-- An export or import that was cancelled stays in the list, with who cancelled it, until it is discarded or forgotten as one that is done.
ALTER TABLE bulk_job DROP CONSTRAINT bulk_job_state_check,
  ADD CONSTRAINT bulk_job_state_check CHECK (state IN ('receiving', 'running', 'done', 'failed', 'cancelled')),
  ADD COLUMN cancelled_by text COLLATE "C",
  ADD COLUMN cancelled_by_name text;
COMMENT ON COLUMN bulk_job.cancelled_by IS 'As owner; null for a job that was not cancelled';
