-- Listing what identity has recorded (decision G9), newest first, by who did it or whose account it was, by event and by outcome.
CREATE INDEX audit_event_time ON audit_event (recorded_at, event_guid);
CREATE INDEX audit_event_actor ON audit_event (actor_guid, recorded_at, event_guid) WHERE actor_guid IS NOT NULL;
CREATE INDEX audit_event_subject ON audit_event (subject_guid, recorded_at, event_guid) WHERE subject_guid IS NOT NULL;
CREATE INDEX audit_event_event ON audit_event (event, recorded_at, event_guid);
CREATE INDEX audit_event_failure ON audit_event (recorded_at, event_guid) WHERE outcome = 'failure';

-- Events of before are found like those of now. What they say stays as it was written.
ALTER TABLE audit_event DISABLE TRIGGER audit_event_append_only;

UPDATE audit_event e SET event = old.event, outcome = old.outcome, actor_guid = old.actor_guid, subject_guid = old.subject_guid
FROM (
  SELECT r.event_guid,
    r.body #>> '{code,coding,0,code}' AS event,
    CASE r.body #>> '{outcome,code,code}' WHEN 'error' THEN 'failure' ELSE 'success' END AS outcome,
    coalesce(doctor.user_guid, patient.user_guid) AS actor_guid,
    coalesce(about.user_guid, substring(r.body #>> '{outcome,detail,0,text}' FROM '^user ([0-9a-f-]{36})$')::uuid) AS subject_guid
  FROM (SELECT event_guid, resource::jsonb AS body FROM audit_event WHERE event IS NULL) r
    LEFT JOIN professional doctor
      ON r.body #>> '{agent,0,who,reference}' = 'Practitioner/' || doctor.professional_guid
    LEFT JOIN patient
      ON r.body #>> '{agent,0,who,reference}' = 'Patient/' || patient.patient_guid
    LEFT JOIN patient about
      ON r.body #>> '{patient,reference}' = 'Patient/' || about.patient_guid
) old
WHERE e.event_guid = old.event_guid;

ALTER TABLE audit_event ENABLE TRIGGER audit_event_append_only;

-- Expired invites are forgotten after a while.
CREATE INDEX group_invite_expires ON group_invite (expires_at);
