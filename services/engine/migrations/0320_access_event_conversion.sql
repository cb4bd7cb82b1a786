-- How far the audit events of earlier releases, which are resources, have been brought into their compact form (docs/adr/0145). Nodes of the release before
-- may bring resources during the upgrade: a second run an hour later takes those.
CREATE TABLE access_event_conversion (
  is_single boolean PRIMARY KEY DEFAULT true CHECK (is_single),
  after uuid NOT NULL,
  run integer NOT NULL,
  starts_at timestamptz NOT NULL,
  -- In all runs.
  converted bigint NOT NULL DEFAULT 0,
  finished_at timestamptz
);
INSERT INTO access_event_conversion (after, run, starts_at) VALUES ('00000000-0000-0000-0000-000000000000', 1, now());
