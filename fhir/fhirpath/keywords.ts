// Element names that are keywords of FHIRPath: `Patient.text.div`. The grammar wants them in backticks
// (hl7.org/fhirpath/N1, "Keywords"), yet behind a dot nothing but a name can stand.
const PARTS = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|\.(\s*)(div|mod)\b(?!\s*\()/gs;

/**
 * The expression with backticks around the names behind a dot that are operators elsewhere; texts and quoted names
 * stay.
 */
export function quoteKeywords(expression: string): string {
  if (!expression.includes('div') && !expression.includes('mod')) return expression;
  return expression.replace(PARTS, (whole: string, space?: string, name?: string) =>
    name === undefined ? whole : `.${space}\`${name}\``,
  );
}
