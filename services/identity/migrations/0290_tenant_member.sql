-- The tenants that a user may sign in to (docs/adr/0137). A user without a row may use the default tenant alone, which
-- has the name `default` here. The row `-` remains of a user whose last tenant has ended: it leads nowhere.
CREATE TABLE tenant_member (
  user_guid uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
  tenant text NOT NULL CHECK (tenant ~ '^([a-z][a-z0-9-]{0,30}|-)$'),
  added_at timestamptz NOT NULL,
  PRIMARY KEY (user_guid, tenant)
);

CREATE INDEX tenant_member_tenant ON tenant_member (tenant);
