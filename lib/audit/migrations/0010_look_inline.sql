-- Looks are read and deleted soon after they are written: up to a page they stand in their row, instead of in pieces of their own, each with an
-- index entry.
ALTER TABLE audit_look SET (toast_tuple_target = 8160);
