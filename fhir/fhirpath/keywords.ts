// Quotes element names that are keywords of FHIRPath: `Patient.text.div`. The grammar requires backticks
// (hl7.org/fhirpath/N1, "Keywords"), although only a name can follow a dot.
const PARTS = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|\.(\s*)(div|mod)\b(?!\s*\()/gs;

/**
 * The expression with backticks around each name after a dot that is also an operator. String literals and quoted names
 * are unchanged.
 */
export function quoteKeywords(expression: string): string {
  if (!expression.includes('div') && !expression.includes('mod')) return expression;
  return expression.replace(PARTS, (whole: string, space?: string, name?: string) =>
    name === undefined ? whole : `.${space}\`${name}\``,
  );
}
