-- A blocked account does not sign in, and its tokens stop counting; what belongs to it stays.
ALTER TABLE app_user ADD COLUMN blocked_at timestamptz;
