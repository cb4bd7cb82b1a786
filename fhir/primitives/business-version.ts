// Compares business versions of definitions, whose form publishers choose freely
// (hl7.org/fhir/R5/canonicalresource-definitions.html#CanonicalResource.version).

const byNumbers = new Intl.Collator('en', { numeric: true });

/**
 * Compares two versions; above zero when `a` is the later one. Numbers in them compare by value ("10" after "9"). No
 * version comes before every version.
 */
export function compareVersions(a: string | undefined, b: string | undefined): number {
  return byNumbers.compare(a ?? '', b ?? '');
}
