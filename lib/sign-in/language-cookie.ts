// The language of the last sign-in, in a cookie: the console opens in it for who has chosen none there. It is kept
// where it is another than the browser's own, and says nothing of who the reader is.
import type { IncomingHttpHeaders } from 'node:http';
import { chooseLanguage, type Language } from '../html/html.ts';
import { cookieIn, createCookieWriter } from './cookie-header.ts';

const NAME = 'kedja-language';
const YEAR_SECONDS = 31_536_000;

export interface LanguageCookie {
  /** The language of the last sign-in; undefined where the browser's own counts. */
  read(headers: IncomingHttpHeaders): Language | undefined;
  /** The `Set-Cookie` after a sign-in in this language; undefined where nothing changes. */
  keep(headers: IncomingHttpHeaders, language: Language): string | undefined;
}

/** `publicUrl` is any address at the public origin. */
export function createLanguageCookie(publicUrl: string): LanguageCookie {
  const cookies = createCookieWriter({ isSecure: new URL(publicUrl).protocol === 'https:' });
  const name = cookies.namePrefix + NAME;
  function read({ cookie }: IncomingHttpHeaders): Language | undefined {
    const value = cookieIn(cookie, name);
    return value === 'sv' || value === 'en' ? value : undefined;
  }
  return {
    read,
    keep(headers, language) {
      const wanted = language === chooseLanguage(undefined, headers['accept-language']) ? undefined : language;
      if (wanted === read(headers)) return undefined;
      return wanted === undefined ? cookies.end(name) : cookies.set(name, wanted, YEAR_SECONDS);
    },
  };
}
