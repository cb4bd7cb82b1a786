// The Luhn algorithm (ISO/IEC 7812-1, annex B), which Swedish personal identity numbers use.

/** The check digit of an odd number of digits, such as the nine of a personnummer. */
export function luhnDigit(digits: string): number {
  const sum = [...digits].reduce((total, digit, index) => {
    const product = Number(digit) * (index % 2 === 0 ? 2 : 1);
    return total + (product > 9 ? product - 9 : product);
  }, 0);
  return (10 - (sum % 10)) % 10;
}
