-- Which versions a patch made: histories tell them apart from updates. NULL is no. A node from before leaves the column as it is, and does
-- not carry it into the history: what it writes is told as an update.
ALTER TABLE fhir_resource ADD COLUMN patched boolean;
ALTER TABLE fhir_history ADD COLUMN patched boolean;
