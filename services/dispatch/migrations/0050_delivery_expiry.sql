-- By when the request of a dispatch is to be answered: from then on no attempt to send it begins, whether somebody has recorded its expiry or not.
-- Null for notices and pings, where there is no such time, and for what the release before queues: that is cancelled when the expiry is recorded.
ALTER TABLE delivery ADD COLUMN expires_at timestamptz;
UPDATE delivery d SET expires_at = m.respond_by FROM match m
  WHERE m.request_guid = d.request_guid AND m.respond_by IS NOT NULL AND d.type = 'request.dispatched'
    AND d.status IN ('queued', 'waiting', 'sending', 'held', 'dead');
