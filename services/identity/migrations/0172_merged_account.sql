-- Two accounts of one person (docs/adr/0076). The merged account stays, blocked, and leads to the other: its numbers, guids and links are the person's.
ALTER TABLE app_user ADD COLUMN merged_into uuid REFERENCES app_user ON DELETE CASCADE CHECK (merged_into <> user_guid);
CREATE INDEX app_user_merged_into ON app_user (merged_into) WHERE merged_into IS NOT NULL;

-- What the merge gave to the other account: an undoing takes just that away.
CREATE TABLE account_merge (
  user_guid uuid PRIMARY KEY REFERENCES app_user ON DELETE CASCADE,
  into_guid uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
  merged_at timestamptz NOT NULL,
  merged_by_guid uuid REFERENCES app_user ON DELETE SET NULL,
  -- Whether the account had been blocked before.
  was_blocked boolean NOT NULL,
  organisations uuid[] NOT NULL,
  -- Groups of new memberships, of such as were pending or rejected, and of those that became their admin's.
  groups_added uuid[] NOT NULL,
  groups_approved uuid[] NOT NULL,
  groups_administered uuid[] NOT NULL,
  registries text[] NOT NULL
);
CREATE INDEX account_merge_into ON account_merge (into_guid);
CREATE INDEX account_merge_by ON account_merge (merged_by_guid) WHERE merged_by_guid IS NOT NULL;
