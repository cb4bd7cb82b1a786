// A Patient in words: age, number.
import type { Patient } from 'fhir/r5';

/** The systems of Swedish personal and coordination numbers. */
const PERSONNUMMER = /\/(?:identifier|ids)\/(?:personnummer|samordningsnummer)$|1\.2\.752\.129\.2\.1\.3\.[13]$/;

/** Whole years on the day; undefined for a date that does not say the day. */
export function ageOf({ birthDate = '' }: Pick<Patient, 'birthDate'>, today: Date): number | undefined {
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

/** The birth date alone is shown, and the last four digits are not. */
export function maskedNumber(number: string): string {
  return number.replace(/\d{4}$/, '••••');
}

export type Sought =
  | { readonly kind: 'number'; readonly number: string }
  | { readonly kind: 'birthDate'; readonly date: string }
  | { readonly kind: 'name'; readonly name: string };

/** What was typed into the search: a personal number, a birth date, or else a name. Undefined for nothing. */
export function soughtIn(typed: string): Sought | undefined {
  const text = typed.trim();
  if (text === '') return undefined;
  const digits = text.replaceAll(/[\s-]/g, '');
  if (/^(?:\d{10}|\d{12})$/.test(digits) || /^\d{6}(?:\d{2})?\+\d{4}$/.test(digits)) {
    return { kind: 'number', number: text.replaceAll(/\s/g, '') };
  }
  const [, year, month, day] = /^(\d{4})-?(\d{2})-?(\d{2})$/.exec(text) ?? [];
  return year === undefined ? { kind: 'name', name: text } : { kind: 'birthDate', date: `${year}-${month}-${day}` };
}
