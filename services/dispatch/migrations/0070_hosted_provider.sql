-- The providers that the engine hosts or has hosted: those whose endpoint is or was its inbox. For them alone the engine reports; a report may still wait
-- there when the endpoint has gone elsewhere, so a row stays. Endpoints of before have none until they change: they are judged by their address.
CREATE TABLE hosted_provider (
  provider_guid text PRIMARY KEY,
  since timestamptz NOT NULL
);
