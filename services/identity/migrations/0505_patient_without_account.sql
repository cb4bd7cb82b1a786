-- A child whom guardians act for has no e-mail address and signs in nowhere (docs/adr/0157). An account has both columns
-- or neither.
ALTER TABLE app_user ALTER COLUMN email DROP NOT NULL;
ALTER TABLE app_user ALTER COLUMN email_key DROP NOT NULL;
ALTER TABLE app_user ADD CONSTRAINT app_user_address
  CHECK ((email IS NULL) = (email_key IS NULL) AND (email IS NOT NULL OR user_type = 'patient'));
