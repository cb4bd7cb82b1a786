-- Synchronising resources with external servers (decision E11). A job's row is all there is of it: whatever node has its lease works on it,
-- and a step commits with how far it came.
CREATE TABLE sync_job (
  job_guid uuid PRIMARY KEY,
  server text COLLATE "C" NOT NULL,
  -- Who asked for it, and as what: the job does what they may.
  principal jsonb NOT NULL,
  resource_types text[] NOT NULL,
  direction text NOT NULL CHECK (direction IN ('pull', 'push', 'both')),
  since timestamptz,
  dry_run boolean NOT NULL,
  state text NOT NULL CHECK (state IN ('running', 'stopped', 'done', 'failed')),
  checkpoint jsonb NOT NULL DEFAULT '{}',
  counts jsonb NOT NULL DEFAULT '{}',
  -- Attempts in a row that failed, and why the last one did.
  failures integer NOT NULL DEFAULT 0,
  fault text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  finished_at timestamptz,
  next_at timestamptz NOT NULL,
  holder uuid,
  leased_until timestamptz
);
-- Two jobs with one server would see each other's half-done work as changes.
CREATE UNIQUE INDEX sync_job_running ON sync_job (server) WHERE state = 'running';

-- What a resource was, by its content alone, when both sides last had the same. The site is the server's base address: another server
-- under the same name has links of its own.
CREATE TABLE sync_link (
  site text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  hash bytea NOT NULL,
  PRIMARY KEY (site, type, id)
);

CREATE TABLE sync_conflict (
  job_guid uuid NOT NULL REFERENCES sync_job ON DELETE CASCADE,
  type text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  message text NOT NULL,
  PRIMARY KEY (job_guid, type, id)
);
