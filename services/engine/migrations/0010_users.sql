-- The engine's own users and their sessions (decision E8).

CREATE TABLE engine_user (
  user_guid uuid PRIMARY KEY,
  email text NOT NULL,
  -- The address in the form in which it is compared.
  email_key text COLLATE "C" NOT NULL CONSTRAINT engine_user_email UNIQUE,
  name text NOT NULL,
  role text NOT NULL CHECK (role IN ('admin', 'clinician', 'reader', 'provider')),
  -- `pending` until an administrator approves the registration.
  status text NOT NULL CHECK (status IN ('pending', 'active', 'disabled')),
  provider_guid uuid REFERENCES provider,
  -- Argon2id. Null after a reset, until the user has chosen a new password.
  password_hash text,
  -- SHA-256 of the one-time code of a reset, which has 100 random bits, and until when it counts.
  reset_hash bytea,
  reset_until timestamptz,
  last_login_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CHECK ((role = 'provider') = (provider_guid IS NOT NULL)),
  CHECK ((reset_hash IS NULL) = (reset_until IS NULL))
);
CREATE INDEX engine_user_by_name ON engine_user (name, user_guid);
CREATE INDEX engine_user_by_provider ON engine_user (provider_guid);

-- A token names its session, and is worth nothing without it: what is deleted here is signed out.
CREATE TABLE engine_session (
  session_guid uuid PRIMARY KEY,
  user_guid uuid NOT NULL REFERENCES engine_user ON DELETE CASCADE,
  -- Signed in by the one-time code of a reset: good for nothing but choosing a password.
  must_change_password boolean NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX engine_session_by_user ON engine_session (user_guid);
CREATE INDEX engine_session_expires ON engine_session (expires_at);

-- Failed sign-ins for each address, whether it has an account or not (lib/auth/failure-series.ts).
CREATE TABLE login_failure (
  account bytea PRIMARY KEY,
  failed_at timestamptz[] NOT NULL,
  lock_count integer NOT NULL DEFAULT 0,
  locked_until timestamptz,
  last_failed_at timestamptz NOT NULL
);
CREATE INDEX login_failure_last ON login_failure (last_failed_at);
