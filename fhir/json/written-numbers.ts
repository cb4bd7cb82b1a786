// Notes numbers as they were written, where JSON.parse loses information: 1.0 is not an integer, and a double has 17
// digits (hl7.org/fhir/R5/datatypes.html#decimal, #integer). The notes are kept beside the parsed objects of a
// resource.

/** The most digits that a decimal may have. */
export const MAX_DIGITS = 18;

/** A number as it was written. */
export interface WrittenNumber {
  /** The member that holds it, and its index when the member is a list. */
  readonly name: string;
  readonly index: number | undefined;
  readonly text: string;
}

/** A number that a scan of the text found, with its index among all numbers, from 0. */
export interface FoundNumber {
  readonly ordinal: number;
  readonly text: string;
}

const noted = new WeakMap<object, readonly WrittenNumber[]>();

/** The numbers of an object, and of the lists in it, that JavaScript would write differently. */
export function writtenNumbers(object: object): readonly WrittenNumber[] | undefined {
  return noted.get(object);
}

/** A number of an object as it was written, or as JavaScript writes it where no other text was noted. */
export function writtenText(object: object, name: string, value: number): string {
  const found = noted.get(object)?.find((each) => each.name === name && each.index === undefined);
  return found?.text ?? String(value);
}

/** Among the digits before an exponent. */
const ZERO_AT_END = /^[^eE]*0(?:[eE]|$)/;

/**
 * Whether a number's text holds more than its value. It may be a whole number with a fraction or an exponent, a
 * fraction that ends in zeros, minus zero, or many digits.
 */
export function isLossyNumber(text: string): boolean {
  if (text.length > MAX_DIGITS || text === '-0') return true;
  return /[.eE]/.test(text) && (ZERO_AT_END.test(text) || Number.isInteger(Number(text)));
}

/** Whether an integer is written as one: `1.0` and `1e3` are not. */
export function isWrittenAsInteger(text: string): boolean {
  return /^(?:0|-?[1-9]\d*)$/.test(text);
}

/** The number of digits of a decimal, without its exponent and leading zeros. */
export function countDigits(text: string): number {
  const [mantissa = ''] = text.split(/[eE]/, 1);
  return mantissa.replace(/[^\d]/g, '').replace(/^0+(?=\d)/, '').length;
}

/** Notes the numbers of a scan beside the objects that JSON.parse built from the same text. */
export function noteNumbers(value: object, found: readonly FoundNumber[]): void {
  let ordinal = 0;
  let next = 0;
  const meet = (number: number, own: WrittenNumber[], name: string, index: number | undefined): void => {
    const wanted = found[next];
    if (wanted?.ordinal === ordinal) {
      // JSON.parse moves members with numeric names to the front. A number that is then not at its index is not noted.
      if (Number(wanted.text) === number) own.push({ name, index, text: wanted.text });
      next += 1;
    }
    ordinal += 1;
  };
  const walkList = (list: readonly unknown[], own: WrittenNumber[], name: string): void => {
    for (const [index, item] of list.entries()) {
      if (typeof item === 'number') meet(item, own, name, index);
      else if (Array.isArray(item)) walkList(item, own, name);
      else if (typeof item === 'object' && item !== null) walk(item);
    }
  };
  const walk = (object: object): void => {
    const own: WrittenNumber[] = [];
    for (const [name, member] of Object.entries(object)) {
      if (typeof member === 'number') meet(member, own, name, undefined);
      else if (Array.isArray(member)) walkList(member, own, name);
      else if (typeof member === 'object' && member !== null) walk(member);
      if (next >= found.length) break;
    }
    if (own.length > 0) noted.set(object, own);
  };
  walk(value);
}
