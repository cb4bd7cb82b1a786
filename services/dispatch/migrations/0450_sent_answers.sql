-- What was sent by the page of a link stays readable there: labels and answers as they were confirmed, sealed. Null for what was sent before.
ALTER TABLE receipt_answer ADD COLUMN answers_sealed bytea;
