// JSON whose decimals keep their digits: FHIR forbids turning 1.0 into 1 (hl7.org/fhir/R5/json.html#decimal), and
// JSON.parse does. For resources that are put together from others; a resource that is stored as it came is spliced
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
 * Parses, and keeps each number that JavaScript would write otherwise than it stands in the text (1.0, 1e3, more digits
 * than a double holds) as an opaque object that JSON.stringify writes as it stood. All other values are plain.
 * @throws SyntaxError when the text is no JSON
 */
export function parseExactJson(text: string): unknown {
  return json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? json.rawJSON(source) : value,
  );
}
