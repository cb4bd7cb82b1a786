// Code systems that others publish and that are too large, or not free, to be stored as concepts. A library with such a
// url contains only the codes in use (hl7.org/fhir/R5/terminologies-systems.html, "External Code Systems").

/** Their URLs, or prefixes of them. */
const EXTERNAL = [
  'http://snomed.info/',
  'http://loinc.org',
  'http://unitsofmeasure.org',
  'http://hl7.org/fhir/sid/',
  'http://id.who.int/icd',
  'http://www.whocc.no/atc',
  'http://www.nlm.nih.gov/research/umls/',
  'http://www.ama-assn.org/go/cpt',
  'http://dicom.nema.org/resources/ontology/DCM',
  'http://ncicb.nci.nih.gov/',
  'http://nucc.org/provider-taxonomy',
  'http://unstats.un.org/',
  'http://varnomen.hgvs.org',
  'http://www.genenames.org',
  'http://human-phenotype-ontology.org',
  'https://www.nlm.nih.gov/mesh',
  'urn:iso:',
  'urn:ietf:',
];

export function isExternalSystem(url: string): boolean {
  return EXTERNAL.some((beginning) => url.startsWith(beginning));
}
