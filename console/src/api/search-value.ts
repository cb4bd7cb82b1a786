/**
 * A text as the value of a search parameter, in which `,`, `|`, `$` and `\` have a meaning of their own
 * (hl7.org/fhir/R5/search.html#escaping).
 */
export function searchValue(text: string): string {
  return text.replaceAll(/[\\,|$]/g, '\\$&');
}
