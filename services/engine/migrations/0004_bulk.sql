-- Exports and imports of many resources (docs/adr/0015). A job's rows are all there is of it: whatever node has its lease works on it, and a
-- step commits with how far it came.
CREATE TABLE bulk_job (
  job_guid uuid PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('export', 'import', 'file-import')),
  -- An import is `receiving` until all of its input is there.
  state text NOT NULL CHECK (state IN ('receiving', 'running', 'done', 'failed')),
  -- Who asked for it, and as what: the job sees and does what they may.
  owner text COLLATE "C" NOT NULL,
  principal jsonb NOT NULL,
  request jsonb NOT NULL,
  checkpoint jsonb NOT NULL DEFAULT '{}',
  counts jsonb NOT NULL DEFAULT '{}',
  done bigint NOT NULL DEFAULT 0,
  total bigint NOT NULL DEFAULT 0,
  fault text,
  -- Which file an import by command reads: the same file goes on where it ended.
  source text COLLATE "C",
  created_at timestamptz NOT NULL,
  finished_at timestamptz,
  next_at timestamptz NOT NULL,
  holder uuid,
  leased_until timestamptz
);
CREATE INDEX bulk_job_running ON bulk_job (next_at) WHERE state = 'running';
CREATE INDEX bulk_job_owner ON bulk_job (owner);
CREATE UNIQUE INDEX bulk_job_source ON bulk_job (source) WHERE source IS NOT NULL;

-- What goes into an import, and what comes out of a job: files of resources, one for each line.
CREATE TABLE bulk_file (
  job_guid uuid NOT NULL REFERENCES bulk_job ON DELETE CASCADE,
  file integer NOT NULL,
  kind text NOT NULL CHECK (kind IN ('input', 'output', 'deleted', 'error')),
  type text COLLATE "C" NOT NULL,
  resources bigint NOT NULL,
  bytes bigint NOT NULL,
  PRIMARY KEY (job_guid, file)
);
CREATE TABLE bulk_part (
  job_guid uuid NOT NULL,
  file integer NOT NULL,
  -- Where it begins in the file, in bytes.
  start bigint NOT NULL,
  bytes integer NOT NULL,
  content bytea NOT NULL,
  PRIMARY KEY (job_guid, file, start),
  FOREIGN KEY (job_guid, file) REFERENCES bulk_file ON DELETE CASCADE
);
COMMENT ON COLUMN bulk_part.content IS 'gzip of whole lines';
ALTER TABLE bulk_part ALTER COLUMN content SET STORAGE EXTERNAL;

-- Whose data a job has touched, each person once: the audit record holds one event for each of them.
CREATE TABLE bulk_patient (
  job_guid uuid NOT NULL REFERENCES bulk_job ON DELETE CASCADE,
  patient text COLLATE "C" NOT NULL,
  PRIMARY KEY (job_guid, patient)
);
