-- A notice of a patient's report may say that it was withdrawn (docs/adr/0072).
ALTER TABLE patient_report_notice ADD COLUMN is_withdrawn boolean NOT NULL DEFAULT false;
