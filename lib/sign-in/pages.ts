// The pages of a service's own sign-in: whether one is signed in, and that a sign-in could not be completed.
import { type Bilingual, speak } from '../html/bilingual.ts';
import { alertText } from '../html/form.ts';
import { html, type Language, type Page } from '../html/html.ts';
import { framed, other } from '../html/layout.ts';

const TEXTS = {
  inTitle: { sv: 'Inloggad', en: 'Signed in' },
  in: {
    sv: 'Den här webbläsaren är inloggad. Logga ut när du är klar, om andra använder den.',
    en: 'This browser is signed in. Sign out when you are done if others use it.',
  },
  outTitle: { sv: 'Inte inloggad', en: 'Not signed in' },
  out: { sv: 'Den här webbläsaren är inte inloggad.', en: 'This browser is not signed in.' },
  failed: {
    sv: 'Inloggningen kunde inte slutföras. Den gäller en gång, i tio minuter, i webbläsaren där den började.',
    en: 'The sign-in could not be completed. It is good once, for ten minutes, in the browser in which it was begun.',
  },
  signIn: { sv: 'Logga in', en: 'Sign in' },
  signOut: { sv: 'Logga ut', en: 'Sign out' },
  reference: { sv: 'API-referens', en: 'API reference' },
} as const satisfies Record<string, Bilingual>;

/** Addresses are relative to the pages', `…/auth/`. */
export function sessionPage(language: Language, isSignedIn: boolean): Page {
  const text = speak(TEXTS, language);
  const way = isSignedIn
    ? html`<form method="post" action="logout"><input type="hidden" name="lang" value="${language}"><p class="actions"><button class="button" type="submit">${text('signOut')}</button><a class="button quiet" href="../docs/">${text('reference')}</a></p></form>`
    : html`<p class="actions"><a class="button" href="login">${text('signIn')}</a></p>`;
  const title = text(isSignedIn ? 'inTitle' : 'outTitle');
  const content = html`<h1>${title}</h1>
<p>${text(isSignedIn ? 'in' : 'out')}</p>
${way}`;
  return framed({ language, title, content, otherLanguage: `session?lang=${other(language)}` });
}

export function failedPage(language: Language): Page {
  const text = speak(TEXTS, language);
  const content = html`<h1>${text('outTitle')}</h1>
${alertText(text('failed'))}
<p class="actions"><a class="button" href="login">${text('signIn')}</a></p>`;
  const otherLanguage = `session?lang=${other(language)}`;
  return framed({ language, title: text('outTitle'), content, otherLanguage, hasErrors: true });
}
