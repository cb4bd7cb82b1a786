-- One person, one record (decision L1, docs/adr/0068): the Patients at engine and dispatch, the personnummer that they hold, and to which registered patient
-- each is linked.
CREATE TABLE patient_record (
  service text NOT NULL CHECK (service IN ('engine', 'dispatch')),
  record_id text COLLATE "C" NOT NULL,
  -- The owner as the service has it: it may be a provider or the engine itself.
  organisation_guid uuid,
  -- The number of the write that was reported: a report of before changes nothing.
  change bigint NOT NULL,
  PRIMARY KEY (service, record_id)
);

-- Encrypted and indexed as those of registered patients (0001, 0130).
CREATE TABLE patient_record_number (
  number_guid uuid PRIMARY KEY,
  service text NOT NULL,
  record_id text COLLATE "C" NOT NULL,
  personnummer_sealed bytea NOT NULL,
  personnummer_index bytea NOT NULL,
  personnummer_index_next bytea,
  FOREIGN KEY (service, record_id) REFERENCES patient_record ON DELETE CASCADE
);
CREATE INDEX patient_record_number_record ON patient_record_number (service, record_id);
CREATE INDEX patient_record_number_index ON patient_record_number (personnummer_index);
CREATE INDEX patient_record_number_index_next ON patient_record_number (personnummer_index_next) WHERE personnummer_index_next IS NOT NULL;

CREATE TABLE patient_link (
  service text NOT NULL,
  record_id text COLLATE "C" NOT NULL,
  patient_guid uuid NOT NULL REFERENCES patient (patient_guid) ON DELETE CASCADE,
  linked_at timestamptz NOT NULL,
  -- An administrator has undone it. The row stays, so that the next write of the record does not make the link again.
  undone_at timestamptz,
  undone_by_guid uuid REFERENCES app_user ON DELETE SET NULL,
  PRIMARY KEY (service, record_id, patient_guid),
  FOREIGN KEY (service, record_id) REFERENCES patient_record ON DELETE CASCADE
);
-- A record is one person's.
CREATE UNIQUE INDEX patient_link_record ON patient_link (service, record_id) WHERE undone_at IS NULL;
CREATE INDEX patient_link_patient ON patient_link (patient_guid);
CREATE INDEX patient_link_undone_by ON patient_link (undone_by_guid) WHERE undone_by_guid IS NOT NULL;
