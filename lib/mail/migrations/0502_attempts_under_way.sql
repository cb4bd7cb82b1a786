-- Whether an attempt is under way, or its worker has ended without a word: then the server may have the mail.
ALTER TABLE mail_outbox ADD COLUMN is_sending boolean NOT NULL DEFAULT false;
