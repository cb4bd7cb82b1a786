// The start page of the gateway, in Swedish and English: links to the services and, in a demo, accounts and
// suggestions.

import { type Bilingual, speak } from '#lib/html/bilingual.ts';
import { chooseLanguage, html, type Language, type Markup, sendPage } from '#lib/html/html.ts';
import { framed, other } from '#lib/html/layout.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { signInHref } from './sign-in.ts';

export interface DemoAccount {
  readonly role: Bilingual;
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

export interface Suggestion {
  readonly title: Bilingual;
  readonly text: Bilingual;
  /** A path on this origin. */
  readonly href: string;
}

export interface StartPageContent {
  readonly version: string;
  readonly accounts: readonly DemoAccount[];
  readonly suggestions: readonly Suggestion[];
}

const TEXTS = {
  lead: {
    sv: 'Vårdplanen från den som skriver den till den som utför den, och resultatet tillbaka.',
    en: 'A plan of care from the professional who writes it to the caregiver who performs it, and the result back.',
  },
  services: { sv: 'Tjänster', en: 'Services' },
  reference: { sv: 'API-referens', en: 'API reference' },
  status: { sv: 'Redo?', en: 'Ready?' },
  signIn: { sv: 'Logga in', en: 'Sign in' },
  register: { sv: 'Registrera dig som patient', en: 'Register as a patient' },
  access: { sv: 'Begär åtkomst som vårdpersonal', en: 'Request access as care staff' },
  change: { sv: 'Byt lösenord', en: 'Change your password' },
  accounts: { sv: 'Demokonton', en: 'Demo accounts' },
  accountsNote: {
    sv: 'Påhittade personer. Använd aldrig riktiga uppgifter här.',
    en: 'Invented people. Never use real data here.',
  },
  role: { sv: 'Roll', en: 'Role' },
  name: { sv: 'Namn', en: 'Name' },
  email: { sv: 'E-post', en: 'E-mail' },
  password: { sv: 'Lösenord', en: 'Password' },
  suggestions: { sv: 'Tre saker att prova', en: 'Three things to try' },
} as const satisfies Record<string, Bilingual>;

const SERVICES = [
  { name: 'identity', job: { sv: 'inloggning, grupper och behörighet', en: 'sign-in, groups and access' } },
  { name: 'dispatch', job: { sv: 'remisser från utkast till svar', en: 'requests from draft to answer' } },
  {
    name: 'engine',
    job: { sv: 'bibliotek, FHIR-data och utförarnas inkorg', en: 'library, FHIR data and the providers’ inbox' },
  },
] as const;

/** Identity's pages for users without an account or password. */
const SIGN_IN_LINKS = [
  ['register', 'register'],
  ['access-request', 'access'],
  ['change-password', 'change'],
] as const;

/** `publicUrl` is the public origin of the gateway. */
export function registerStartPage(app: HttpApp, read: () => StartPageContent, publicUrl: string): void {
  app.get('/', { config: { permission: 'public' }, schema: { hide: true } }, async (request, reply) => {
    const parameters = new URLSearchParams(request.url.split('?')[1]);
    const language = chooseLanguage(parameters.get('lang'), request.headers['accept-language']);
    const content = renderContent(language, read(), publicUrl);
    const otherLanguage = `/?lang=${other(language)}`;
    return sendPage(reply, framed({ language, title: 'Kedja', content, otherLanguage, width: 'wide' }));
  });
}

function renderContent(language: Language, content: StartPageContent, publicUrl: string): Markup {
  const text = speak(TEXTS, language);
  return html`<h1>Kedja</h1>
<p>${text('lead')}</p>
<p class="actions"><a class="button" href="${signInHref(publicUrl, 'login', language)}">${text('signIn')}</a></p>
<ul class="ways">${SIGN_IN_LINKS.map(
    ([page, name]) => html`<li><a href="${signInHref(publicUrl, page, language)}">${text(name)}</a></li>
`,
  )}</ul>
<h2>${text('services')}</h2>
<div class="scroll" tabindex="0" role="region" aria-label="${text('services')}"><table><tbody>${SERVICES.map(
    ({ name, job }) => html`<tr>
<th scope="row">${name}</th><td>${job[language]}</td>
<td><a href="/${name}/docs/">${text('reference')}</a></td><td><a href="/${name}/readyz">${text('status')}</a></td></tr>`,
  )}</tbody></table></div>
${content.suggestions.length > 0 && renderSuggestions(language, content)}
${content.accounts.length > 0 && renderAccounts(language, content)}
<p><small>Kedja ${content.version}</small></p>`;
}

function renderSuggestions(language: Language, content: StartPageContent): Markup {
  return html`<h2>${TEXTS.suggestions[language]}</h2>
<ol>${content.suggestions.map(
    ({ title, text, href }) => html`<li><a href="${href}">${title[language]}</a>: ${text[language]}</li>`,
  )}</ol>`;
}

function renderAccounts(language: Language, content: StartPageContent): Markup {
  const heads = (['role', 'name', 'email', 'password'] as const).map(
    (key) => html`<th scope="col">${TEXTS[key][language]}</th>`,
  );
  return html`<h2>${TEXTS.accounts[language]}</h2>
<p>${TEXTS.accountsNote[language]}</p>
<div class="scroll" tabindex="0" role="region" aria-label="${TEXTS.accounts[language]}"><table><thead><tr>${heads}</tr></thead><tbody>${content.accounts.map(
    ({ role, name, email, password }) => html`<tr>
<td>${role[language]}</td><td>${name}</td><td><code>${email}</code></td><td><code>${password}</code></td></tr>`,
  )}</tbody></table></div>`;
}
