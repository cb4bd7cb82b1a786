// What is normal or usual in words: `60–75 kg`, `at least 60 kg`. Also a value that was not measured exactly.
import { useTranslation } from 'react-i18next';
import type { Band, Reading } from '../clinical/values.ts';
import { amountText, numberText } from './format.ts';

export function useBandText(unit: string): (band: Band) => string {
  const { t } = useTranslation();
  return ({ low, high, isOpen = false }) => {
    if (low !== undefined && low === high) return amountText(low, unit);
    if (low !== undefined && high !== undefined) return `${numberText(low)}–${amountText(high, unit)}`;
    const open = { value: amountText(low ?? high ?? 0, unit) };
    if (low !== undefined) return t(isOpen ? 'values.above' : 'values.atLeast', open);
    return t(isOpen ? 'values.below' : 'values.atMost', open);
  };
}

const BESIDE = { '<': 'below', '<=': 'atMost', '>=': 'atLeast', '>': 'above' } as const;

type Amount = Pick<Reading, 'value' | 'comparator'>;

/** `82.9 kg`; of a laboratory's `< 5 mg/L` in words: `below 5 mg/L`. */
export function useAmountText(): (reading: Amount, unit: string) => string {
  const { t } = useTranslation();
  return ({ value, comparator }, unit) => {
    const amount = amountText(value, unit);
    return comparator === undefined ? amount : t(`values.${BESIDE[comparator]}`, { value: amount });
  };
}

export function useReadingText(unit: string): (reading: Amount) => string {
  const amount = useAmountText();
  return (reading) => amount(reading, unit);
}
