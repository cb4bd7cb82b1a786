-- Who there is: users (a professional or a patient each), organisations, groups and memberships (contract: identity, Resources;
-- decisions I5 and I6). Phase groups exist from the start.
CREATE TABLE organisation (
  organisation_guid uuid PRIMARY KEY,
  name text NOT NULL,
  created_at timestamptz NOT NULL
);

-- Organisations are named in the user CSV, so a name means one of them.
CREATE UNIQUE INDEX organisation_name ON organisation (lower(name));

CREATE TABLE app_user (
  user_guid uuid PRIMARY KEY,
  user_type text NOT NULL CHECK (user_type IN ('professional', 'patient')),
  email text NOT NULL,
  -- The address as it is compared: lower case.
  email_key text NOT NULL,
  password_hash text NOT NULL,
  -- A temporary password: it must be changed first, and stops working.
  must_change_password boolean NOT NULL DEFAULT false,
  password_expires_at timestamptz,
  is_su_admin boolean NOT NULL DEFAULT false CHECK (NOT is_su_admin OR user_type = 'professional'),
  first_name text,
  last_name text,
  created_at timestamptz NOT NULL,
  last_login_at timestamptz,
  CONSTRAINT app_user_email_key UNIQUE (email_key),
  UNIQUE (user_guid, user_type)
);

CREATE INDEX app_user_su_admin ON app_user (user_guid) WHERE is_su_admin;

CREATE TABLE professional (
  user_guid uuid PRIMARY KEY,
  user_type text NOT NULL DEFAULT 'professional' CHECK (user_type = 'professional'),
  professional_guid uuid NOT NULL UNIQUE,
  professional_role text NOT NULL CHECK (professional_role IN ('doctor', 'nurse', 'other')),
  FOREIGN KEY (user_guid, user_type) REFERENCES app_user (user_guid, user_type) ON DELETE CASCADE
);

CREATE TABLE professional_organisation (
  user_guid uuid NOT NULL REFERENCES professional ON DELETE CASCADE,
  organisation_guid uuid NOT NULL REFERENCES organisation,
  PRIMARY KEY (user_guid, organisation_guid)
);

CREATE INDEX professional_organisation_organisation ON professional_organisation (organisation_guid);

-- The personnummer is encrypted; its keyed index (an HMAC) finds doubles without telling the number.
CREATE TABLE patient (
  user_guid uuid PRIMARY KEY,
  user_type text NOT NULL DEFAULT 'patient' CHECK (user_type = 'patient'),
  patient_guid uuid NOT NULL UNIQUE,
  organisation_guid uuid NOT NULL REFERENCES organisation,
  personnummer_sealed bytea NOT NULL,
  personnummer_index bytea NOT NULL,
  registries text[] NOT NULL DEFAULT '{}',
  CONSTRAINT patient_personnummer_index UNIQUE (personnummer_index),
  FOREIGN KEY (user_guid, user_type) REFERENCES app_user (user_guid, user_type) ON DELETE CASCADE
);

CREATE INDEX patient_organisation ON patient (organisation_guid);

CREATE TABLE care_group (
  group_guid uuid PRIMARY KEY,
  name text NOT NULL,
  group_type text NOT NULL CHECK (group_type IN ('phase', 'team', 'organisation', 'quality_registry')),
  description text,
  created_at timestamptz NOT NULL
);

CREATE UNIQUE INDEX care_group_name ON care_group (group_type, lower(name));

INSERT INTO care_group (group_guid, name, group_type, created_at) VALUES
  ('00000000-0000-7000-8000-000000000001', 'planning', 'phase', now()),
  ('00000000-0000-7000-8000-000000000002', 'analysis', 'phase', now()),
  ('00000000-0000-7000-8000-000000000003', 'execution', 'phase', now()),
  ('00000000-0000-7000-8000-000000000004', 'followup', 'phase', now());

CREATE TABLE membership (
  membership_guid uuid PRIMARY KEY,
  user_guid uuid NOT NULL REFERENCES professional ON DELETE CASCADE,
  group_guid uuid NOT NULL REFERENCES care_group ON DELETE CASCADE,
  status text NOT NULL CHECK (status IN ('pending', 'approved', 'rejected')),
  is_admin boolean NOT NULL DEFAULT false CHECK (NOT is_admin OR status = 'approved'),
  created_at timestamptz NOT NULL,
  decided_by_guid uuid REFERENCES app_user ON DELETE SET NULL,
  decided_at timestamptz,
  UNIQUE (user_guid, group_guid)
);

CREATE INDEX membership_group ON membership (group_guid, status);
CREATE INDEX membership_admin ON membership (user_guid) WHERE is_admin;
CREATE INDEX membership_pending ON membership (created_at, membership_guid) WHERE status = 'pending';
CREATE INDEX membership_decided_by ON membership (decided_by_guid) WHERE decided_by_guid IS NOT NULL;
