-- Forms that are filled in by receipt token (decision L8; docs/adr/0079). A form of a request has one draft, sealed; it is deleted when it is sent,
-- when the request ends, or when nobody has saved it for a time. What was sent keeps the draft's guid, so that sending it again changes nothing.
CREATE TABLE receipt_draft (
  draft_guid uuid PRIMARY KEY,
  request_guid uuid NOT NULL REFERENCES receipt,
  -- The attachment of the form, or `measures`.
  form_key text NOT NULL,
  version integer NOT NULL,
  fields_sealed bytea NOT NULL,
  saved_at timestamptz NOT NULL,
  CONSTRAINT receipt_draft_of_form UNIQUE (request_guid, form_key)
);
CREATE INDEX receipt_draft_saved ON receipt_draft (saved_at);

CREATE TABLE receipt_answer (
  draft_guid uuid PRIMARY KEY,
  request_guid uuid NOT NULL REFERENCES receipt,
  form_key text NOT NULL,
  results text[] NOT NULL,
  sent_at timestamptz NOT NULL
);
CREATE INDEX receipt_answer_of_request ON receipt_answer (request_guid, form_key, sent_at);
