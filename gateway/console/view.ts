// How a reader sees the console, as the console keeps it in a cookie (console/src/app/view.ts). It says nothing of who
// the reader is, and anybody may send any value.
import type { IncomingHttpHeaders } from 'node:http';
import { chooseLanguage, type Language } from '#lib/html/html.ts';

export interface ReaderView {
  readonly language: Language;
  readonly colorScheme: 'auto' | 'light' | 'dark';
  /** An IANA name. */
  readonly timeZone: string;
}

const COOKIE = /(?:^|;\s*)kedja-view=(sv|en|browser)\.(auto|light|dark)\.([\w+/-]{1,64})(?:;|$)/;

/** Without the cookie by what the browser says; the time zone is then that of this process. */
export function viewOf({ cookie = '', 'accept-language': accepted }: IncomingHttpHeaders): ReaderView {
  const [, language, colorScheme = 'auto', zone] = COOKIE.exec(cookie) ?? [];
  return {
    language: chooseLanguage(language, accepted),
    colorScheme: colorScheme as ReaderView['colorScheme'],
    timeZone: zone !== undefined && isTimeZone(zone) ? zone : new Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('sv', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

/** How far the reader's clock is ahead of UTC now, in minutes. */
export function offsetOf({ timeZone }: ReaderView): number {
  const name = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
    .formatToParts()
    .find(({ type }) => type === 'timeZoneName')?.value;
  const [, sign = '+', hours = '0', minutes = '0'] = /([+-])(\d{2}):(\d{2})/.exec(name ?? '') ?? [];
  return (sign === '-' ? -1 : 1) * (60 * Number(hours) + Number(minutes));
}
