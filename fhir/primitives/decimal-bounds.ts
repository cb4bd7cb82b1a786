// The interval that a decimal stands for by its precision: half of its last place on either side. 5.4 is 5.35 to 5.45,
// and 100 is 99.5 to 100.5 (hl7.org/fhir/R5/search.html#number; FHIRPath, lowBoundary and highBoundary).

export interface DecimalBounds {
  readonly low: number;
  readonly high: number;
}

/**
 * The bounds of a decimal as written, an exponent included: `1e3` is 500 to 1500. The text must be a JSON number, with
 * an optional leading `+`.
 */
export function decimalBounds(text: string): DecimalBounds {
  const [mantissa = '', exponent = '0'] = text.split(/[eE]/, 2);
  const point = mantissa.indexOf('.');
  const places = point < 0 ? 0 : mantissa.length - point - 1;
  const value = Number(text);
  const half = 0.5 * 10 ** (Number(exponent) - places);
  return { low: rounded(value - half), high: rounded(value + half) };
}

/** Rounds the error of binary fractions: 5.4 - 0.05 gives 5.3500000000000005, which 5.35 would not reach. */
function rounded(value: number): number {
  return Number(value.toPrecision(15));
}
