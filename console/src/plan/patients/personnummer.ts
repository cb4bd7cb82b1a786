// Swedish personal and coordination numbers as they are typed, read by the services' own rules, and what they say of
// the person.
import { parsePersonnummer } from '../../../../lib/personnummer.ts';

export interface PersonNumber {
  /** `19900118-9811`. */
  readonly text: string;
  /** `1990-01-18`; of a coordination number without the 60 that is added to its day. */
  readonly birthDate: string;
  readonly isCoordination: boolean;
  /** By the last digit but one. */
  readonly gender: 'female' | 'male';
}

const COORDINATION = 60;

/** Word processors put longer dashes into a number, and ones that do not break. */
export function plainDashes(typed: string): string {
  return typed.replaceAll(/[\u2010-\u2015\u2212]/g, '-');
}

/** Undefined for what is none: a wrong form, day or check digit. */
export function readPersonNumber(typed: string, today: Date): PersonNumber | undefined {
  const digits = parsePersonnummer(plainDashes(typed).replaceAll(/\s/g, ''), today.getTime());
  if (digits === undefined) return undefined;
  const day = Number(digits.slice(6, 8));
  const isCoordination = day > COORDINATION;
  const realDay = String(day - (isCoordination ? COORDINATION : 0)).padStart(2, '0');
  return {
    text: `${digits.slice(0, 8)}-${digits.slice(8)}`,
    birthDate: `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${realDay}`,
    isCoordination,
    gender: Number(digits[10]) % 2 === 0 ? 'female' : 'male',
  };
}
