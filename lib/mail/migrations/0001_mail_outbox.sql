-- Mails that wait to be sent (docs/adr/0066). A row is written in the transaction of the change that causes the mail, and deleted when
-- the mail server has taken it. What was given up stays for a week without its message.
CREATE TABLE mail_outbox (
  mail_guid uuid PRIMARY KEY,
  -- What the mail is about: `password-reset`. No address.
  kind text NOT NULL,
  -- Recipient, subject and text, encrypted; null when the mail was given up.
  message_sealed bytea,
  created_at timestamptz NOT NULL,
  -- After this time the mail says nothing of use: it is given up.
  expires_at timestamptz NOT NULL,
  -- Grows by one with each claim. The worker of an older one records nothing.
  attempt integer NOT NULL DEFAULT 0,
  -- From when the mail may be claimed. A claim puts it off by the lease.
  next_at timestamptz NOT NULL,
  last_error text,
  dead_at timestamptz,
  CHECK ((dead_at IS NULL) = (message_sealed IS NOT NULL))
);

CREATE INDEX mail_outbox_next_at ON mail_outbox (next_at) WHERE dead_at IS NULL;
CREATE INDEX mail_outbox_dead_at ON mail_outbox (dead_at) WHERE dead_at IS NOT NULL;
