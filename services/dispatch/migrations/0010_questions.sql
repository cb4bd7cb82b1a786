-- What a provider asks the requester about a request, and the answer (decision D13). Written under the lock of the service_request row;
-- in the order of locks it comes after match.
CREATE TABLE request_question (
  question_guid uuid PRIMARY KEY,
  request_guid uuid NOT NULL REFERENCES receipt,
  service_request_id uuid NOT NULL REFERENCES service_request,
  question text NOT NULL,
  asked_at timestamptz NOT NULL,
  answer text,
  answered_at timestamptz,
  CHECK ((answer IS NULL) = (answered_at IS NULL))
);
CREATE INDEX request_question_request ON request_question (request_guid, question_guid);
CREATE INDEX request_question_service_request ON request_question (service_request_id, question_guid);
