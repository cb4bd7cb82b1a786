-- The one-time code of a reset is not to become the password: a session that one has opened keeps its hash until a password is chosen.
-- The release before leaves it out, and its sessions are judged as they were.
ALTER TABLE engine_session ADD COLUMN code_hash bytea;
