-- How often API keys were used here, until the engine has counted it (decision E8): it may be away, also while this service stops.
CREATE TABLE key_use_batch (
  batch_guid uuid PRIMARY KEY,
  -- [{keyGuid, day, requests, lastUsedAt}]
  uses jsonb NOT NULL
);
