// Swedish personal and coordination numbers as they are typed (Skatteverket's SKV 704).
// The century and the sign may be left out.

export interface PersonNumber {
  /** `19900118-9811`. */
  readonly text: string;
  /** `1990-01-18`; of a coordination number without the 60 that is added to its day. */
  readonly birthDate: string;
  readonly isCoordination: boolean;
  /** By the last digit but one. */
  readonly gender: 'female' | 'male';
}

const TYPED = /^(\d{2})?(\d{2})(\d{2})(\d{2})([-+]?)(\d{3})(\d)$/;
const COORDINATION = 60;

/** Undefined for what is none: a wrong form, day or check digit. */
export function readPersonNumber(typed: string, today: Date): PersonNumber | undefined {
  const [, given, years = '', month = '', day = '', sign, serial = '', check] =
    TYPED.exec(typed.replaceAll(/\s/g, '')) ?? [];
  if (check === undefined || Number(check) !== checkDigit(years + month + day + serial)) return undefined;
  const isCoordination = Number(day) > COORDINATION;
  const realDay = String(Number(day) - (isCoordination ? COORDINATION : 0)).padStart(2, '0');
  const century = given ?? centuryOf({ years, month, day: realDay, isOld: sign === '+' }, today);
  const birthDate = `${century}${years}-${month}-${realDay}`;
  if (!isDay(birthDate) || new Date(birthDate) > today) return undefined;
  return {
    text: `${century}${years}${month}${day}-${serial}${check}`,
    birthDate,
    isCoordination,
    gender: Number(serial[2]) % 2 === 0 ? 'female' : 'male',
  };
}

interface ShortDate {
  readonly years: string;
  readonly month: string;
  readonly day: string;
  /** From the year in which somebody is a hundred. */
  readonly isOld: boolean;
}

/** The latest one that is not in the future; with a plus the one before. */
function centuryOf({ years, month, day, isOld }: ShortDate, today: Date): string {
  const now = Math.floor(today.getFullYear() / 100);
  const latest = new Date(`${now}${years}-${month}-${day}`) > today ? now - 1 : now;
  return String(isOld ? latest - 1 : latest);
}

function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** Luhn's, over nine digits. */
function checkDigit(digits: string): number {
  const sum = [...digits].reduce((total, digit, index) => {
    const doubled = Number(digit) * (index % 2 === 0 ? 2 : 1);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return (10 - (sum % 10)) % 10;
}
