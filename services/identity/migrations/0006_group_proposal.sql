-- Professionals propose groups, an SU admin decides (contract: identity, Group proposal; decision I9).
CREATE TABLE group_proposal (
  proposal_guid uuid PRIMARY KEY,
  user_guid uuid NOT NULL REFERENCES professional ON DELETE CASCADE,
  name text NOT NULL,
  group_type text NOT NULL CHECK (group_type IN ('phase', 'team', 'organisation', 'quality_registry')),
  description text,
  status text NOT NULL CHECK (status IN ('pending', 'approved', 'rejected')),
  created_at timestamptz NOT NULL,
  decided_by_guid uuid REFERENCES app_user ON DELETE SET NULL,
  decided_at timestamptz,
  -- The group that the approval made.
  group_guid uuid REFERENCES care_group ON DELETE SET NULL
);

CREATE UNIQUE INDEX group_proposal_open ON group_proposal (group_type, lower(name)) WHERE status = 'pending';
CREATE INDEX group_proposal_pending ON group_proposal (created_at, proposal_guid) WHERE status = 'pending';
CREATE INDEX group_proposal_user ON group_proposal (user_guid);
CREATE INDEX group_proposal_group ON group_proposal (group_guid) WHERE group_guid IS NOT NULL;
CREATE INDEX group_proposal_decided_by ON group_proposal (decided_by_guid) WHERE decided_by_guid IS NOT NULL;
