-- Why a job failed, as the code of an error; one that failed before was told as an unexpected error.
ALTER TABLE bulk_job ADD COLUMN fault_code text;
