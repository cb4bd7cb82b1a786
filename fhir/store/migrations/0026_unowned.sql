-- What belongs to nobody, by type: whether there is any is one look-up (docs/adr/0012, "Where all belongs to one organisation").
CREATE INDEX fhir_resource_unowned ON fhir_resource (organisation, type) WHERE organisation IS NULL;
