-- The mail with a link to the page for providers without a system (docs/adr/0071): which it is in the outbox, and of one that was given up when
-- and why, as the outbox forgets it after a week. Links of before have none.
ALTER TABLE receipt_link ADD COLUMN mail_guid uuid, ADD COLUMN mail_dead_at timestamptz, ADD COLUMN mail_error text;
CREATE INDEX receipt_link_mail ON receipt_link (mail_guid) WHERE mail_guid IS NOT NULL;
-- The worklist counts requests whose mail was given up: few.
CREATE INDEX receipt_link_dead_mail ON receipt_link (request_guid) WHERE mail_dead_at IS NOT NULL AND ended_at IS NULL;
