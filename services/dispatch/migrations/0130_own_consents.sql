-- The consents that patients have given themselves (decision L3, docs/adr/0073). The Consent is in the FHIR store; this row says that it is the
-- patient's own, which its content cannot prove: staff may write that a patient granted something.
CREATE TABLE own_consent (
  -- The key of the Consent in the FHIR store.
  rid uuid PRIMARY KEY,
  -- The registered patient who decided it, and whom it is about. It counts for all records of that person.
  patient_guid text COLLATE "C" NOT NULL,
  -- Whether its status is active.
  is_active boolean NOT NULL
);
CREATE INDEX own_consent_patient ON own_consent (patient_guid, rid);
CREATE INDEX own_consent_active ON own_consent (patient_guid) WHERE is_active;

-- Which Patients here are one person's, as identity has linked them (docs/adr/0068). A record is one person's. The record under the guid of a
-- registered patient is theirs and has no row.
CREATE TABLE person_record (
  record_id text COLLATE "C" PRIMARY KEY,
  patient_guid text COLLATE "C" NOT NULL
);
CREATE INDEX person_record_patient ON person_record (patient_guid);

-- Up to where identity's feed of links has been read.
CREATE TABLE person_record_position (
  is_only_row boolean PRIMARY KEY DEFAULT true CHECK (is_only_row),
  sequence bigint NOT NULL
);
INSERT INTO person_record_position (sequence) VALUES (0);
