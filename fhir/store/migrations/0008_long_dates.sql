-- What lasts longer than a day: everything else that reaches into a span of time begins within it, or a day before (docs/adr/0012).
CREATE INDEX fhir_date_long ON fhir_date (param, high, low, rid) WHERE high - low > 86400000;
