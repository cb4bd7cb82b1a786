-- A key may be bound to an organisation of identity: it then reaches the records that this organisation's staff reach, by its scopes.
ALTER TABLE api_key ADD COLUMN organisation_guid uuid,
  ADD CONSTRAINT api_key_acts_for_one CHECK (provider_guid IS NULL OR organisation_guid IS NULL);
