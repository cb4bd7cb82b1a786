-- The keyed index of personnummer can be made anew under another key while nodes run (docs/adr/0064).
ALTER TABLE patient ADD COLUMN personnummer_index_next bytea;
ALTER TABLE patient ADD CONSTRAINT patient_personnummer_index_next UNIQUE (personnummer_index_next);

-- Under which generation of the index key `personnummer_index` is written, and `personnummer_index_next`, which is written only while there is one. When both are the
-- same, the second is whole, and the first is being brought to it.
ALTER TABLE personnummer_key
  ADD COLUMN generation integer NOT NULL DEFAULT 1,
  ADD COLUMN next_generation integer;
