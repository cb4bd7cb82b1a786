// The texts of ./failure-text.ts, for the faces that show them.
import type { Texts } from '../../i18n/i18n.ts';

export const FAILURE_TEXTS: Texts = { sv: () => import('./texts/sv.json'), en: () => import('./texts/en.json') };
