-- Privacy officers read the access log of every patient (decision L4, docs/adr/0075). An SU admin gives the right.
ALTER TABLE professional ADD COLUMN is_privacy_officer boolean NOT NULL DEFAULT false;
