// The page on which people renew their recovery codes, of identity and of the engine (docs/adr/0046): neither has its
// own browser session. So the page asks for the address, the password and a code.
import { alertText, errorSummary, type FieldErrors, hiddenField, submitButton, textField } from '../html/form.ts';
import { html, type Language, type Page } from '../html/html.ts';
import { other, renderLayout } from '../html/layout.ts';
import { type Message, translator } from '../html/messages.ts';
import messages from './renewal-page.messages.json' with { type: 'json' };

export type RenewalProblem = 'wrong' | 'none' | 'temporary' | 'locked' | 'failed';

export interface RenewalForm {
  readonly language: Language;
  /** Whose accounts they are. */
  readonly lead: Message;
  readonly email?: string;
  /** The fields that were left empty. */
  readonly missing?: readonly string[];
  readonly problem?: RenewalProblem;
}

export function renewalPage({ language, lead, email, missing = [], problem }: RenewalForm): Page {
  const text = translator(messages, language);
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
  return renderLayout({
    language,
    title: text('title'),
    content,
    otherLanguage: addressIn(other(language)),
    hasErrors,
  });
}

export function renewedPage(language: Language, codes: readonly string[]): Page {
  const text = translator(messages, language);
  const content = html`<h1>${text('title')}</h1>
<p>${text('doneLead')}</p>
<ul class="codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>`;
  return renderLayout({ language, title: text('title'), content, otherLanguage: addressIn(other(language)) });
}

function addressIn(language: Language): string {
  return `recovery-codes?lang=${language}`;
}
