-- Statistics are of the requests that were made in a time, of an organisation or of all (docs/adr/0103).
CREATE INDEX service_request_created ON service_request (created_at, organisation_guid);
