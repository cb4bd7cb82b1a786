-- Who asks, and how to reach them (decision L8): {"person", "unit", "contacts": [{"system", "value"}]}. Null for tasks that arrived before.
ALTER TABLE provider_task ADD COLUMN requester jsonb;
