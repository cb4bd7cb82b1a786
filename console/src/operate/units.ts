// Amounts as operators read them.
import type { TFunction } from 'i18next';
import { numberText } from '../i18n/format.ts';

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

/** `12 s`, `5 min`, `3 h`, `2 days`: the largest unit of which there are two, or one second. */
export function durationText(seconds: number, t: TFunction): string {
  if (seconds < 2 * MINUTE) return t('operate.unit.s', { count: Math.round(seconds) });
  if (seconds < 2 * HOUR) return t('operate.unit.min', { count: Math.floor(seconds / MINUTE) });
  if (seconds < 2 * DAY) return t('operate.unit.h', { count: Math.floor(seconds / HOUR) });
  return t('operate.unit.d', { count: Math.floor(seconds / DAY) });
}

/** `3,4 GB`, of 1000 each. */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let [value, at] = [bytes, 0];
  while (value >= 1000 && at < units.length - 1) [value, at] = [value / 1000, at + 1];
  return `${numberText(value < 10 ? Math.round(value * 10) / 10 : Math.round(value))} ${units[at]}`;
}
