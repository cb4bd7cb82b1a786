-- The provider's persons of a task (decision L7): who accepted it, who is responsible, who reported last. Accounts at identity or
-- here; the names as they were then.
ALTER TABLE provider_task ADD COLUMN accepted_by_guid uuid;
ALTER TABLE provider_task ADD COLUMN accepted_by_name text;
ALTER TABLE provider_task ADD COLUMN responsible_guid uuid;
ALTER TABLE provider_task ADD COLUMN responsible_name text;
ALTER TABLE provider_task ADD COLUMN reported_by_guid uuid;
ALTER TABLE provider_task ADD COLUMN reported_by_name text;
