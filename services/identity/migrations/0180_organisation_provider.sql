-- The provider whose organisation it is, if it is one's (decision L7): a guid of the engine's.
ALTER TABLE organisation ADD COLUMN provider_guid uuid;
