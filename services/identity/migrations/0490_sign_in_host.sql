-- Signing in and out across the host names of tenants (docs/adr/0151). The tenant at whose address the sign-in was that
-- got the code: `default` for the default one. The code is exchanged at that tenant's address alone. Null for codes of
-- before.
ALTER TABLE sign_in_code ADD COLUMN tenant text;

-- Expired tokens are deleted where they belong to no browser session; the others when that has ended.
DROP INDEX issued_token_expires;
CREATE INDEX issued_token_expires ON issued_token (expires_at) WHERE session_guid IS NULL;

-- The link of a forgotten password leads to the page of the tenant at whose address it was asked for. Null for the default
-- one.
ALTER TABLE password_reset_request ADD COLUMN tenant text;
