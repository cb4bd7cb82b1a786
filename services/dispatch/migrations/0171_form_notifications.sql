-- Patients are notified of forms to answer, and planners of answers to forms of plans: these have a CarePlan, and a request may be missing.
ALTER TABLE notification ALTER COLUMN service_request_id DROP NOT NULL;
ALTER TABLE notification ADD COLUMN careplan_guid text;
