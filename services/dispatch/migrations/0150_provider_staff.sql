-- The provider's person who accepted, and who reported last (decision L7): an account at identity or at the engine.
ALTER TABLE match ADD COLUMN accepted_by_guid uuid;
ALTER TABLE match ADD COLUMN accepted_by_name text;
ALTER TABLE match ADD COLUMN reported_by_guid uuid;
ALTER TABLE match ADD COLUMN reported_by_name text;
