// Personal identity numbers for tests: the tax agency reserves the birth numbers 980 to 999 of every day.
import { luhnDigit } from '#lib/luhn.ts';

/**
 * Twelve digits. `position` (0 to 9) distinguishes people of one sex and birthday. The last digit but one is odd for
 * men.
 */
export function testPersonnummer(birthDate: string, sex: 'female' | 'male', position = 0): string {
  const date = birthDate.replaceAll('-', '');
  const birthNumber = 980 + 2 * position + (sex === 'male' ? 1 : 0);
  return `${date}${birthNumber}${luhnDigit(`${date.slice(2)}${birthNumber}`)}`;
}
