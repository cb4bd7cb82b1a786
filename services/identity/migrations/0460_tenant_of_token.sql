-- For which tenant a token is (docs/adr/0137): `default` for the default one. Null without tenants, and for tokens of
-- before.
ALTER TABLE issued_token ADD COLUMN tenant text;
