// The page on which people renew their recovery codes, of identity and of the engine (docs/adr/0046): neither has a
// browser session of its own, so it asks for the address, the password and a code.
import { type Bilingual, speak } from '../html/bilingual.ts';
import { alertText, errorSummary, type FieldErrors, hiddenField, submitButton, textField } from '../html/form.ts';
import { html, type Language, type Page } from '../html/html.ts';
import { framed, other } from '../html/layout.ts';

const TEXTS = {
  title: { sv: 'Nya återställningskoder', en: 'New recovery codes' },
  email: { sv: 'E-postadress', en: 'E-mail address' },
  password: { sv: 'Lösenord', en: 'Password' },
  code: { sv: 'Kod för tvåstegsverifiering', en: 'Code for two-step verification' },
  codeHint: {
    sv: 'Från din app, eller en återställningskod som är kvar.',
    en: 'From your app, or a recovery code that is left.',
  },
  submit: { sv: 'Skapa nya koder', en: 'Make new codes' },
  doneLead: {
    sv: 'Varje kod fungerar en gång. Skriv ut dem eller spara dem säkert nu: de visas inte igen.',
    en: 'Each code works once. Print them or keep them safe now: they are not shown again.',
  },
  missing: { sv: 'Fyll i fältet.', en: 'Fill this in.' },
  wrong: {
    sv: 'E-postadressen, lösenordet eller koden stämmer inte, eller koden är redan använd. Fyll i lösenordet igen, och en ny kod.',
    en: 'The e-mail address, the password or the code is wrong, or the code was used before. Enter the password again, and a new code.',
  },
  none: {
    sv: 'Kontot har ingen tvåstegsverifiering.',
    en: 'The account has no two-step verification.',
  },
  temporary: {
    sv: 'Byt lösenordet först: det du har nu är tillfälligt eller för kort.',
    en: 'Change the password first: the one you have now is temporary or too short.',
  },
  locked: { sv: 'För många försök. Vänta en stund.', en: 'Too many attempts. Wait for a while.' },
  failed: { sv: 'Det går inte just nu. Försök igen om en stund.', en: 'This cannot be done now. Try again soon.' },
} as const satisfies Record<string, Bilingual>;

export type RenewalProblem = 'wrong' | 'none' | 'temporary' | 'locked' | 'failed';

export interface RenewalForm {
  readonly language: Language;
  /** Whose accounts they are. */
  readonly lead: Bilingual;
  readonly email?: string;
  /** The fields that were left empty. */
  readonly missing?: readonly string[];
  readonly problem?: RenewalProblem;
}

export function renewalPage({ language, lead, email, missing = [], problem }: RenewalForm): Page {
  const text = speak(TEXTS, language);
  const errors: FieldErrors = Object.fromEntries(missing.map((name) => [name, text('missing')]));
  const content = html`<h1>${text('title')}</h1>
<p>${lead[language]}</p>
${errorSummary(language, errors)}${problem && alertText(text(problem))}<form method="post" action="recovery-codes" novalidate>
${hiddenField('lang', language)}
${textField({ name: 'email', type: 'email', label: text('email'), autocomplete: 'username', value: email, error: errors['email'] })}
${textField({ name: 'current_password', type: 'password', label: text('password'), autocomplete: 'current-password', error: errors['current_password'] })}
${textField({ name: 'code', label: text('code'), hint: text('codeHint'), autocomplete: 'one-time-code', error: errors['code'] })}
${submitButton(text('submit'))}
</form>`;
  const hasErrors = missing.length > 0 || problem !== undefined;
  return framed({ language, title: text('title'), content, otherLanguage: addressIn(other(language)), hasErrors });
}

export function renewedPage(language: Language, codes: readonly string[]): Page {
  const text = speak(TEXTS, language);
  const content = html`<h1>${text('title')}</h1>
<p>${text('doneLead')}</p>
<ul class="codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>`;
  return framed({ language, title: text('title'), content, otherLanguage: addressIn(other(language)) });
}

function addressIn(language: Language): string {
  return `recovery-codes?lang=${language}`;
}
