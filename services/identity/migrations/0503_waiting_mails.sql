-- The mail of an invitation or a right, and of a link that resets a password: it is taken back while it waits, when what it leads to ends.
ALTER TABLE patient_proxy ADD COLUMN mail_guid uuid;
ALTER TABLE password_reset ADD COLUMN mail_guid uuid;
