// The start page of the gateway, in Swedish and English, for people who are not signed in. It has the ways to sign in
// and, in a demo, accounts and suggestions.
import { chooseLanguage, html, type Language, type Markup, sendPage } from '#lib/html/html.ts';
import { other, renderLayout } from '#lib/html/layout.ts';
import { type Message, translator } from '#lib/html/messages.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { ACCESSIBILITY_PATH } from './accessibility-page.ts';
import type { ConsolePages } from './console/pages.ts';
import { consoleSignInHref } from './console/session.ts';
import messages from './start-page.messages.json' with { type: 'json' };

export interface DemoAccount {
  readonly role: Message;
  readonly name: string;
  readonly email: string;
  readonly password: string;
  /** A path on this origin that leads through the sign-in, filled in with the address, to the person's face. */
  readonly href: string;
}

export interface Suggestion {
  readonly title: Message;
  readonly text: Message;
  /** A path on this origin. */
  readonly href: string;
}

export interface StartPageContent {
  readonly version: string;
  readonly accounts: readonly DemoAccount[];
  readonly suggestions: readonly Suggestion[];
}

/** Identity's pages for users without an account or password. */
const SIGN_IN_LINKS = [
  ['register', 'register'],
  ['access-request', 'access'],
  ['change-password', 'change'],
] as const;

interface StartPageOptions {
  /** Read at each request. */
  readonly read: () => StartPageContent;
  /** The public origin of the gateway. */
  readonly publicUrl: string;
  readonly isRegistrationOpen: boolean;
  /** Who is signed in gets the console at the same address. */
  readonly console: ConsolePages;
}

export function registerStartPage(app: HttpApp, options: StartPageOptions): void {
  const { console } = options;
  app.get('/', { config: { permission: 'public' }, schema: { hide: true } }, async (request, reply) => {
    const served = console.serve(request, reply);
    if (served !== undefined) return served;
    const parameters = new URLSearchParams(request.url.split('?')[1]);
    const language = chooseLanguage(parameters.get('lang'), request.headers['accept-language']);
    const content = renderContent(language, options);
    const otherLanguage = `/?lang=${other(language)}`;
    return sendPage(reply, renderLayout({ language, title: 'Kedja', content, otherLanguage, width: 'wide' }));
  });
}

function renderContent(language: Language, { read, publicUrl, isRegistrationOpen }: StartPageOptions): Markup {
  const content = read();
  const links = SIGN_IN_LINKS.filter(([page]) => isRegistrationOpen || page !== 'register');
  const text = translator(messages, language);
  return html`<h1>Kedja</h1>
<p>${text('lead')}</p>
<p class="actions"><a class="button" href="${consoleSignInHref(publicUrl, 'login', language)}">${text('signIn')}</a></p>
<ul class="ways">${links.map(
    ([page, name]) => html`<li><a href="${consoleSignInHref(publicUrl, page, language)}">${text(name)}</a></li>
`,
  )}<li><a href="/identity/session?lang=${language}">${text('session')}</a></li>
</ul>
${content.suggestions.length > 0 && renderSuggestions(language, content)}
${content.accounts.length > 0 && renderAccounts(language, content)}
<p><a href="/developer?lang=${language}">${text('developers')}</a> · <a href="${ACCESSIBILITY_PATH}?lang=${language}">${text('accessibility')}</a></p>
<p><small>Kedja ${content.version}</small></p>`;
}

function renderSuggestions(language: Language, content: StartPageContent): Markup {
  return html`<h2>${messages.suggestions[language]}</h2>
<ol>${content.suggestions.map(
    ({ title, text, href }) => html`<li><a href="${href}">${title[language]}</a>: ${text[language]}</li>`,
  )}</ol>`;
}

function renderAccounts(language: Language, content: StartPageContent): Markup {
  const heads = (['role', 'name', 'email', 'password'] as const).map(
    (key) => html`<th scope="col">${messages[key][language]}</th>`,
  );
  return html`<h2>${messages.accounts[language]}</h2>
<p>${messages.accountsNote[language]}</p>
<div class="scroll" tabindex="0" role="region" aria-label="${messages.accounts[language]}"><table><thead><tr>${heads}</tr></thead><tbody>${content.accounts.map(
    ({ role, name, email, password, href }) => html`<tr>
<td>${role[language]}</td><td><a href="${href}">${name}</a></td><td><code>${email}</code></td><td><code>${password}</code></td></tr>`,
  )}</tbody></table></div>`;
}
