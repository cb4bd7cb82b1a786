-- Planners are notified of what patients withdraw, once until somebody has read it: as what they report, by the patient.
DO $$ BEGIN
  IF EXISTS (SELECT FROM notification) THEN
    INSERT INTO index_change (name, definition) VALUES
      ('notification_of_patient', $def$ON notification (feed_key, patient_guid)
        WHERE kind IN ('patient_reported', 'values_reported', 'answer_withdrawn', 'values_withdrawn')$def$),
      ('notification_reported', NULL);
  ELSE
    CREATE INDEX notification_of_patient ON notification (feed_key, patient_guid)
      WHERE kind IN ('patient_reported', 'values_reported', 'answer_withdrawn', 'values_withdrawn');
    DROP INDEX IF EXISTS notification_reported;
  END IF;
END $$;
