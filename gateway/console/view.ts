// How a reader sees the console, as the console keeps it in a cookie (console/src/app/view.ts). It says nothing of who
// the reader is, and anybody may send any value.
import type { IncomingHttpHeaders } from 'node:http';
import { chooseLanguage, type Language } from '#lib/html/html.ts';
import type { LanguageCookie } from '#lib/sign-in/language-cookie.ts';

export interface ReaderView {
  readonly language: Language;
  readonly colorScheme: 'auto' | 'light' | 'dark';
  /** An IANA name. */
  readonly timeZone: string;
}

const COOKIE = /(?:^|;\s*)kedja-view=(sv|en|browser)\.(auto|light|dark)\.([\w+/-]{1,64})(?:;|$)/;

/**
 * Who has chosen no language in the console reads that of the last sign-in, else the browser's. Without the cookie the
 * time zone is that of this process.
 */
export function viewOf(headers: IncomingHttpHeaders, ofSignIn: Pick<LanguageCookie, 'read'>): ReaderView {
  const [, named, colorScheme = 'auto', zone] = COOKIE.exec(headers.cookie ?? '') ?? [];
  const chosen = named === 'browser' ? undefined : named;
  return {
    language: chooseLanguage(chosen ?? ofSignIn.read(headers), headers['accept-language']),
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
