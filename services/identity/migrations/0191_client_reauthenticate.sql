-- Whether a client's sign-ins ask for the password each time, whatever session the browser has (docs/adr/0080).
ALTER TABLE client ADD COLUMN reauthenticate boolean NOT NULL DEFAULT false;
