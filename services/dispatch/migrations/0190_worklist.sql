-- The worklist reads the requests of an organisation that are not archived, and with them the states of their matches.
CREATE INDEX service_request_open ON service_request (organisation_guid) WHERE archived_at IS NULL;
CREATE INDEX service_request_archived ON service_request (organisation_guid) WHERE archived_at IS NOT NULL;
