-- Requests to become a group's admin, and invites to a group (contract: identity, Groups; decision I8).
CREATE TABLE leader_request (
  leader_request_guid uuid PRIMARY KEY,
  user_guid uuid NOT NULL REFERENCES professional ON DELETE CASCADE,
  group_guid uuid NOT NULL REFERENCES care_group ON DELETE CASCADE,
  status text NOT NULL CHECK (status IN ('pending', 'approved', 'rejected')),
  created_at timestamptz NOT NULL,
  decided_by_guid uuid REFERENCES app_user ON DELETE SET NULL,
  decided_at timestamptz
);

CREATE UNIQUE INDEX leader_request_open ON leader_request (user_guid, group_guid) WHERE status = 'pending';
CREATE INDEX leader_request_pending ON leader_request (created_at, leader_request_guid) WHERE status = 'pending';
CREATE INDEX leader_request_group ON leader_request (group_guid);
CREATE INDEX leader_request_decided_by ON leader_request (decided_by_guid) WHERE decided_by_guid IS NOT NULL;

-- Usable by many until it expires; only the token's hash is kept.
CREATE TABLE group_invite (
  invite_guid uuid PRIMARY KEY,
  group_guid uuid NOT NULL REFERENCES care_group ON DELETE CASCADE,
  token_hash bytea NOT NULL UNIQUE,
  created_by_guid uuid REFERENCES app_user ON DELETE SET NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);

CREATE INDEX group_invite_group ON group_invite (group_guid);
CREATE INDEX group_invite_created_by ON group_invite (created_by_guid) WHERE created_by_guid IS NOT NULL;
