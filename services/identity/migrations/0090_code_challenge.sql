-- Of a handshake with a one-time code: the hash of the secret for which alone the code is exchanged (RFC 7636, S256), as it was sent. Null where none was.
ALTER TABLE sign_in_code ADD COLUMN code_challenge text;
ALTER TABLE sign_in_challenge ADD COLUMN code_challenge text;
