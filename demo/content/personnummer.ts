// Personal identity numbers for tests: the tax agency reserves the birth numbers 980 to 999 of every day.

/**
 * Twelve digits. `position` (0 to 9) distinguishes people of one sex and birthday. The last digit but one is odd for
 * men.
 */
export function testPersonnummer(birthDate: string, sex: 'female' | 'male', position = 0): string {
  const date = birthDate.replaceAll('-', '');
  const birthNumber = 980 + 2 * position + (sex === 'male' ? 1 : 0);
  return `${date}${birthNumber}${checkDigit(`${date.slice(2)}${birthNumber}`)}`;
}

/** Luhn's digit over the nine digits before it. */
function checkDigit(digits: string): number {
  const sum = [...digits].reduce((total, digit, index) => {
    const product = Number(digit) * (index % 2 === 0 ? 2 : 1);
    return total + (product > 9 ? product - 9 : product);
  }, 0);
  return (10 - (sum % 10)) % 10;
}
