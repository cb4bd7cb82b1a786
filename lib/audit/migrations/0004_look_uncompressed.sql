-- Looks are read and deleted soon after: to compress their keys, of which little can be saved, took three quarters of what it costs to
-- note a page of twenty.
ALTER TABLE audit_look ALTER COLUMN looks SET STORAGE EXTERNAL;
