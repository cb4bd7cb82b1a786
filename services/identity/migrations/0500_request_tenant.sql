-- The tenant at whose address a request was made (docs/adr/0137): the mail about its approval leads there. Null for the
-- default one, and for requests of before.
ALTER TABLE access_request ADD COLUMN tenant text;
ALTER TABLE membership ADD COLUMN tenant text;
ALTER TABLE leader_request ADD COLUMN tenant text;
ALTER TABLE group_proposal ADD COLUMN tenant text;
