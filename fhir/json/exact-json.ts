// Parses JSON so that decimals keep their digits. FHIR forbids turning 1.0 into 1 (hl7.org/fhir/R5/json.html#decimal),
// as JSON.parse does. It serves resources that are assembled from others; a stored resource's own text is spliced
// instead (resource-text.ts).

/**
 * JSON.parse with source text access and JSON.rawJSON (ECMAScript proposal-json-parse-with-source; in Node 22 and
 * later).
 */
interface JsonWithSource {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): object;
}

const json = JSON as unknown as JsonWithSource;

/**
 * Parses JSON text. A number that JavaScript would write differently (1.0, 1e3, more digits than a double holds)
 * becomes an opaque object, which JSON.stringify writes as it was. All other values are plain.
 * @throws SyntaxError when the text is not JSON
 */
export function parseExactJson(text: string): unknown {
  return json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? json.rawJSON(source) : value,
  );
}
