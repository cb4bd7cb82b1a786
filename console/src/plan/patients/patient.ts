// A Patient in words: age, number.
import type { Patient } from 'fhir/r5';
import { plainDashes } from './personnummer.ts';

/** The systems of Swedish personal and coordination numbers. */
const PERSONNUMMER = /\/(?:identifier|ids)\/(?:personnummer|samordningsnummer)$|1\.2\.752\.129\.2\.1\.3\.[13]$/;

/**
 * Whole years on the day, or on that of the death; undefined for a date that does not say the day, and for a death
 * whose day nobody has said.
 */
export function ageOf(
  {
    birthDate = '',
    deceasedBoolean,
    deceasedDateTime,
  }: Pick<Patient, 'birthDate' | 'deceasedBoolean' | 'deceasedDateTime'>,
  now: Date,
): number | undefined {
  if (deceasedBoolean === true) return undefined;
  const today = deceasedDateTime === undefined ? now : new Date(deceasedDateTime);
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(birthDate) ?? [];
  if (year === undefined) return undefined;
  const years = today.getFullYear() - Number(year);
  const isBefore = (today.getMonth() + 1) * 100 + today.getDate() < Number(month) * 100 + Number(day);
  return isBefore ? years - 1 : years;
}

/** `19900118-9811`, as it is written in the record; undefined without one. */
export function personnummerOf({ identifier = [] }: Pick<Patient, 'identifier'>): string | undefined {
  return identifier.find(({ system = '' }) => PERSONNUMMER.test(system))?.value;
}

/** Of identities that are protected (docs/reference/engine/access.md): the systems of the labels, and their codes. */
const PROTECTING: ReadonlyMap<string, readonly string[]> = new Map([
  ['http://terminology.hl7.org/CodeSystem/v3-Confidentiality', ['R', 'V']],
  ['http://hl7.se/fhir/ig/base/CodeSystem/SecurityLabel', ['sekretessmarkering', 'skyddadFolkbokforing']],
]);

interface PatientNotes {
  readonly isProtected: boolean;
  /** When the patient died; true where that is not said. */
  readonly death: string | true | undefined;
  /** The id of the record that replaces this one. */
  readonly replacedBy: string | undefined;
  readonly isInactive: boolean;
}

/** What must be known before anything is done about the patient. */
export function notesOf({ meta, active, link = [], deceasedBoolean, deceasedDateTime }: Patient): PatientNotes {
  const replacement = link.find(({ type }) => type === 'replaced-by')?.other.reference;
  return {
    isProtected: (meta?.security ?? []).some(
      ({ system = '', code = '' }) => PROTECTING.get(system)?.includes(code) === true,
    ),
    death: deceasedDateTime ?? (deceasedBoolean === true ? true : undefined),
    replacedBy: /^Patient\/([\w.-]+)$/.exec(replacement ?? '')?.[1],
    isInactive: active === false,
  };
}

/** The birth date alone is shown, and the last four digits are not. */
export function maskedNumber(number: string): string {
  return number.replace(/\d{4}$/, '••••');
}

export type Sought =
  | { readonly kind: 'number'; readonly number: string }
  | { readonly kind: 'birthDate'; readonly date: string }
  | { readonly kind: 'name'; readonly name: string };

const DIGITS_OF_A_DATE = 8;

/** What was typed into the search: a personal number, a birth date, or else a name. Undefined for nothing. */
export function soughtIn(typed: string): Sought | undefined {
  const text = plainDashes(typed).trim();
  if (text === '') return undefined;
  const [digits, number] = [text.replaceAll(/\D/g, ''), text.replaceAll(/\s/g, '')];
  // One with a digit too many or too few is not put into the address either: the service says what is wrong with it.
  const isNumber = /^[\d+-]+$/.test(number) && (digits.length > DIGITS_OF_A_DATE || number.includes('+'));
  if (isNumber) return { kind: 'number', number };
  const [, year, month, day] = /^(\d{4})-?(\d{2})-?(\d{2})$/.exec(text) ?? [];
  return year === undefined ? { kind: 'name', name: text } : { kind: 'birthDate', date: `${year}-${month}-${day}` };
}
