// Formats durations for log lines. JavaScript's own formatting of a fraction takes longer than the rest of a line.

/** `.000` to `.999` */
const THOUSANDTHS = Array.from({ length: 1000 }, (_, number) => `.${String(number).padStart(3, '0')}`);
const LARGEST = 2_000_000;

/** The milliseconds as a JSON number with three decimals, or none where they are zero. Not for negative numbers. */
export function millisecondsText(ms: number): string {
  if (!(ms < LARGEST)) return String(Math.round(ms));
  const thousandths = Math.round(ms * 1000);
  const whole = Math.trunc(thousandths / 1000);
  const rest = thousandths - whole * 1000;
  return rest === 0 ? `${whole}` : `${whole}${THOUSANDTHS[rest]}`;
}
