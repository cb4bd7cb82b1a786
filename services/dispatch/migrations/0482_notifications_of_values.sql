-- Planners are notified of the values that patients report, once until somebody has read it: what is unread is found by the patient.
DO $$ BEGIN
  IF EXISTS (SELECT FROM notification) THEN
    INSERT INTO index_change (name, definition) VALUES
      ('notification_reported', $def$ON notification (feed_key, patient_guid) WHERE kind IN ('patient_reported', 'values_reported')$def$);
  ELSE
    CREATE INDEX notification_reported ON notification (feed_key, patient_guid) WHERE kind IN ('patient_reported', 'values_reported');
  END IF;
END $$;
