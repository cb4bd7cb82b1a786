-- The mail with the code: it is taken back while it waits, when another request replaces the code.
ALTER TABLE email_change ADD COLUMN mail_guid uuid;
