-- Each change of a provider or contract is a version of it, which PUT and DELETE name in If-Match, as of library records (docs/adr/0155).
ALTER TABLE provider ADD COLUMN version integer NOT NULL DEFAULT 1;
ALTER TABLE contract ADD COLUMN version integer NOT NULL DEFAULT 1;
CREATE TRIGGER provider_version BEFORE UPDATE ON provider FOR EACH ROW EXECUTE FUNCTION count_version();
CREATE TRIGGER contract_version BEFORE UPDATE ON contract FOR EACH ROW EXECUTE FUNCTION count_version();
