-- The mails to proxies and guardians are made by a worker (docs/adr/0074): an invitation does the same whether the person has an account or
-- not. `tenant` is the one at whose address the request was made; null for the default one, and for those of before.
ALTER TABLE patient_proxy
  ADD COLUMN mail_due boolean NOT NULL DEFAULT false,
  ADD COLUMN mailed_at timestamptz,
  ADD COLUMN tenant text;
CREATE INDEX patient_proxy_mail_due ON patient_proxy (created_at) WHERE mail_due;
