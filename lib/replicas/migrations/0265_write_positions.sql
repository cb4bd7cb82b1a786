-- Where in the log the last writes of each caller end (docs/adr/0129). A row lives for a minute. The table is not
-- logged: after a crash it is empty, and the row without a caller says so by being absent.
CREATE UNLOGGED TABLE write_position (
  -- Kind and id of the account; empty for the row that holds for everybody.
  caller text COLLATE "C" NOT NULL,
  -- The process that served the writes. It alone changes the row, so no two of them wait for each other.
  node uuid NOT NULL,
  position pg_lsn NOT NULL,
  noted_at timestamptz NOT NULL,
  PRIMARY KEY (caller, node)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
