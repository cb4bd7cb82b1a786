// Formats arrays as PostgreSQL text (postgresql.org/docs/current/arrays.html#ARRAYS-IO). The driver inspects the type
// of every element, which costs more than the rest of a statement with hundreds of rows.

const QUOTED = /["\\]/;
const ALL_QUOTED = /["\\]/g;

/** An array of texts. */
export function textArray(values: readonly unknown[]): string {
  return arrayOf(values, textElement);
}

/** An array of numbers, uuids or instants, which need no quoting. */
export function plainArray(values: readonly unknown[]): string {
  return arrayOf(values, plainElement);
}

function arrayOf(values: readonly unknown[], element: (value: unknown) => string): string {
  let text = '{';
  for (const [place, value] of values.entries()) {
    if (place > 0) text += ',';
    text += element(value);
  }
  return `${text}}`;
}

/** A text as an element of an array's text. */
export function textElement(value: unknown): string {
  return value === null || value === undefined ? 'NULL' : quoted(String(value));
}

/** A number, uuid or instant as an element of an array's text. */
export function plainElement(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  return value instanceof Date ? value.toISOString() : String(value);
}

/** For {@link jsonTexts}: the parameter, a joined text, as an array. */
export function jsonTextsOf(placeholder: string): string {
  return `string_to_array(${placeholder}::text, chr(31))`;
}

/**
 * Texts of valid JSON, joined by a character that JSON never holds, so that nothing needs escaping.
 */
export function jsonTexts(texts: readonly string[]): string {
  return texts.join('\u001f');
}

function quoted(value: string): string {
  return QUOTED.test(value) ? `"${value.replace(ALL_QUOTED, '\\$&')}"` : `"${value}"`;
}
