// How the reader sees the console: language, colour scheme and time zone. It is in a cookie for the gateway, which
// renders the first view by it (gateway/console/view.ts). It says nothing of who the reader is.

const COOKIE = 'kedja-view';
const YEAR_SECONDS = 31_536_000;

/** Where the language is kept that was chosen. */
export const LANGUAGE_KEY = 'kedja-language';
/** Then that of the browser counts. */
const UNCHOSEN = 'browser';

/** Where the colour scheme is stored. */
export const LOOK_KEY = 'mantine-color-scheme-value';

/** Call it when something of it has changed. */
export function rememberView(): void {
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const view = [localStorage.getItem(LANGUAGE_KEY) ?? UNCHOSEN, localStorage.getItem(LOOK_KEY) ?? 'auto', zone].join(
    '.',
  );
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser.
  document.cookie = `${COOKIE}=${view}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax; Secure`;
}
