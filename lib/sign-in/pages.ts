// The pages of a service's own sign-in: whether one is signed in, and that a sign-in could not be completed.
import { alertText } from '../html/form.ts';
import { html, type Language, type Page } from '../html/html.ts';
import { other, renderLayout } from '../html/layout.ts';
import { translator } from '../html/messages.ts';
import messages from './pages.messages.json' with { type: 'json' };

/** Addresses are relative to the pages', `…/auth/`. */
export function sessionPage(language: Language, isSignedIn: boolean): Page {
  const text = translator(messages, language);
  const link = isSignedIn
    ? html`<form method="post" action="logout"><input type="hidden" name="lang" value="${language}"><p class="actions"><button class="button" type="submit">${text('signOut')}</button><a class="button quiet" href="../docs/">${text('reference')}</a></p></form>`
    : html`<p class="actions"><a class="button" href="login">${text('signIn')}</a></p>`;
  const title = text(isSignedIn ? 'inTitle' : 'outTitle');
  const content = html`<h1>${title}</h1>
<p>${text(isSignedIn ? 'in' : 'out')}</p>
${link}`;
  return renderLayout({ language, title, content, otherLanguage: `session?lang=${other(language)}` });
}

export function failedPage(language: Language, { hasSessionPage }: { readonly hasSessionPage: boolean }): Page {
  const text = translator(messages, language);
  const content = html`<h1>${text('outTitle')}</h1>
${alertText(text('failed'))}
<p class="actions"><a class="button" href="login">${text('signIn')}</a></p>`;
  const otherLanguage = hasSessionPage ? `session?lang=${other(language)}` : undefined;
  return renderLayout({ language, title: text('outTitle'), content, otherLanguage, hasErrors: true });
}
