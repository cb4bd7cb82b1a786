-- Forms that patients answer (docs/adr/0072): attached to a request for the patient, or given by the plan of a CarePlan.
ALTER TABLE form_attachment
  ADD COLUMN answered_by text NOT NULL DEFAULT 'provider' CHECK (answered_by IN ('provider', 'patient')),
  -- A date, YYYY-MM-DD.
  ADD COLUMN due text;
CREATE UNIQUE INDEX form_attachment_of_patient ON form_attachment (form_attachment_guid) WHERE answered_by = 'patient';

-- The forms that a CarePlan's PlanDefinition gives the patient, frozen when the CarePlan was written.
CREATE TABLE careplan_form (
  patient_form_guid uuid PRIMARY KEY,
  careplan_guid text NOT NULL,
  form_guid text NOT NULL,
  patient_guid text NOT NULL,
  organisation_guid text NOT NULL,
  title text NOT NULL,
  due text,
  questionnaire text NOT NULL,
  render_ready text NOT NULL,
  -- Whether the CarePlan is active.
  is_open boolean NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX careplan_form_plan ON careplan_form (careplan_guid);
CREATE INDEX careplan_form_patient ON careplan_form (patient_guid);

-- What the patient has done with a form; no row before that. Whoever changes it has the lock of the request or of the CarePlan.
CREATE TABLE patient_form_state (
  patient_form_guid uuid PRIMARY KEY,
  -- JSON text of the QuestionnaireResponse that has been begun.
  draft text,
  begun_at timestamptz,
  -- Of the QuestionnaireResponse; null when it was withdrawn.
  response_id uuid,
  answered_at timestamptz,
  -- Since then the patient no longer changes it.
  reviewed_at timestamptz,
  reviewer_id text
);

CREATE VIEW patient_form AS
  SELECT f.form_attachment_guid AS patient_form_guid, s.id AS service_request_id, s.careplan_guid, s.patient_guid, s.organisation_guid,
    f.title, f.due, f.questionnaire, f.render_ready, s.finalized_at AS given_at,
    s.status IN ('active', 'on-hold', 'completed') AND s.archived_at IS NULL AS is_open
  FROM form_attachment f JOIN service_request s ON s.id = f.service_request_id
  WHERE f.answered_by = 'patient' AND f.render_ready IS NOT NULL
  UNION ALL
  SELECT c.patient_form_guid, NULL, c.careplan_guid, c.patient_guid, c.organisation_guid, c.title, c.due, c.questionnaire, c.render_ready,
    c.created_at, c.is_open
  FROM careplan_form c;
