-- Texts in the order in which they are sorted (docs/adr/0063), one stretch for each set of parameters that share a row: a page of a search that is sorted by
-- a text begins where the one before ended, and reads nothing else. It takes the place of the index of those that are sorted by a text of their own. Nodes of
-- the release before read more without that one, as they do for all other texts.
CREATE INDEX fhir_string_order ON fhir_string (param, mask, (coalesce(sort, value)), rid) WHERE exact IS NOT NULL;
DROP INDEX fhir_string_sort;
