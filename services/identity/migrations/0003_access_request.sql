-- Professionals who ask for an account (contract: identity, Access request; decision I11).
CREATE TABLE access_request (
  access_request_guid uuid PRIMARY KEY,
  email text NOT NULL,
  email_key text NOT NULL,
  -- Moves to the account on approval and is dropped on rejection.
  password_hash text CHECK ((password_hash IS NOT NULL) = (status IN ('pending', 'endorsed'))),
  first_name text NOT NULL,
  last_name text NOT NULL,
  professional_role text NOT NULL CHECK (professional_role IN ('doctor', 'nurse', 'other')),
  organisation_guid uuid NOT NULL REFERENCES organisation,
  requested_phases text[] NOT NULL,
  chosen_leader_guid uuid REFERENCES app_user ON DELETE SET NULL,
  status text NOT NULL CHECK (status IN ('pending', 'endorsed', 'approved', 'rejected')),
  created_at timestamptz NOT NULL,
  endorsed_by_guid uuid REFERENCES app_user ON DELETE SET NULL,
  endorsed_at timestamptz,
  decided_by_guid uuid REFERENCES app_user ON DELETE SET NULL,
  decided_at timestamptz,
  user_guid uuid REFERENCES app_user ON DELETE SET NULL
);

CREATE UNIQUE INDEX access_request_open_email ON access_request (email_key) WHERE status IN ('pending', 'endorsed');
CREATE INDEX access_request_open ON access_request (created_at, access_request_guid) WHERE status IN ('pending', 'endorsed');
CREATE INDEX access_request_organisation ON access_request (organisation_guid);
CREATE INDEX access_request_leader ON access_request (chosen_leader_guid) WHERE chosen_leader_guid IS NOT NULL;
CREATE INDEX access_request_endorsed_by ON access_request (endorsed_by_guid) WHERE endorsed_by_guid IS NOT NULL;
CREATE INDEX access_request_decided_by ON access_request (decided_by_guid) WHERE decided_by_guid IS NOT NULL;
CREATE INDEX access_request_user ON access_request (user_guid) WHERE user_guid IS NOT NULL;
