-- A foreign key is looked up for every row: dear for the hundred thousands of people in an import, whose job is locked anyway while they are
-- noted. They go with their job by one statement.
ALTER TABLE bulk_patient DROP CONSTRAINT bulk_patient_job_guid_fkey;

CREATE FUNCTION forget_bulk_patients() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM bulk_patient WHERE job_guid IN (SELECT job_guid FROM gone);
  RETURN NULL;
END $$;
CREATE TRIGGER bulk_job_forgets_patients AFTER DELETE ON bulk_job REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION forget_bulk_patients();
