// Business versions of definitions, which their publishers give as they like
// (hl7.org/fhir/R5/canonicalresource-definitions.html#CanonicalResource.version).

const byNumbers = new Intl.Collator('en', { numeric: true });

/**
 * Above zero: `a` is the later one. Numbers in them are compared as such ("10" after "9"); what has no version comes
 * before all that have.
 */
export function compareVersions(a: string | undefined, b: string | undefined): number {
  return byNumbers.compare(a ?? '', b ?? '');
}
