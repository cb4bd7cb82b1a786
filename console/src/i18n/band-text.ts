// What is normal or usual in words: `60–75 kg`, `at least 60 kg`.
import { useTranslation } from 'react-i18next';
import type { Band } from '../clinical/values.ts';
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
