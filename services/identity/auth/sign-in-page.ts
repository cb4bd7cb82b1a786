// The sign-in page (decision I3): a plain form in Swedish or English that works without scripts, with errors at their fields.
import { html, type Language, type Page } from '#lib/html/html.ts';
import { PAGE_STYLE } from '../page-style.ts';

/** What the page says went wrong. */
export type SignInProblem =
  | { readonly kind: 'wrong_credentials' }
  | { readonly kind: 'missing'; readonly fields: readonly string[] }
  | { readonly kind: 'too_many'; readonly seconds: number }
  | { readonly kind: 'unavailable' };

export interface SignInForm {
  readonly language: Language;
  /** The way from the address at which the page is shown to identity's root: empty, or a number of `../`. */
  readonly root: string;
  readonly target: URL;
  /** `next` as it was given. */
  readonly next: string;
  readonly state?: string | undefined;
  readonly responseMode?: string | undefined;
  /** What was typed before, to be shown again. */
  readonly email?: string | undefined;
  readonly problem?: SignInProblem | undefined;
}

const TEXTS = {
  sv: {
    title: 'Logga in',
    email: 'E-postadress',
    password: 'Lösenord',
    submit: 'Logga in',
    other: 'In English',
    wrong: 'E-postadressen eller lösenordet stämmer inte.',
    missing: 'Fyll i fältet.',
    tooMany: (seconds: number) => `För många försök. Vänta ${seconds} sekunder och försök igen.`,
    unavailable: 'Det går inte att logga in just nu. Försök igen om en stund.',
    refusedTitle: 'Det går inte att logga in härifrån',
    refused:
      'Adressen som inloggningen skulle leda till är inte godkänd. Öppna programmet du vill använda och logga in därifrån.',
  },
  en: {
    title: 'Sign in',
    email: 'E-mail address',
    password: 'Password',
    submit: 'Sign in',
    other: 'På svenska',
    wrong: 'The e-mail address or the password is wrong.',
    missing: 'Fill in this field.',
    tooMany: (seconds: number) => `Too many attempts. Wait ${seconds} seconds and try again.`,
    unavailable: 'Signing in is not possible at the moment. Try again shortly.',
    refusedTitle: 'You cannot sign in from here',
    refused:
      'The address that this sign-in would lead to is not approved. Open the application you want to use and sign in from there.',
  },
} as const;

/** The form. Its addresses are relative, so that it works behind the gateway's prefix too. */
export function signInPage(form: SignInForm): Page {
  const text = TEXTS[form.language];
  const { problem } = form;
  const missing = problem?.kind === 'missing' ? problem.fields : [];
  const emailError = missing.includes('email') ? text.missing : '';
  const passwordError =
    problem?.kind === 'wrong_credentials' ? text.wrong : missing.includes('password') ? text.missing : '';
  const isAtPassword = emailError === '' && passwordError !== '';
  const body = html`<main>
<h1><span class="brand">Kedja</span>${text.title}</h1>
${alertOf(form)}<form method="post" action="${form.root}api/auth/login" novalidate>
<input type="hidden" name="lang" value="${form.language}">
${hidden('next', form.next)}${hidden('state', form.state)}${hidden('response_mode', form.responseMode)}
${field({ name: 'email', type: 'email', label: text.email, autocomplete: 'username', value: form.email ?? '', error: emailError, isFocused: !isAtPassword })}
${field({ name: 'password', type: 'password', label: text.password, autocomplete: 'current-password', value: '', error: passwordError, isFocused: isAtPassword })}
<button type="submit">${text.submit}</button>
</form>
${languageSwitch(form)}
</main>`;
  return {
    language: form.language,
    title: `${text.title} – Kedja`,
    style: PAGE_STYLE,
    body,
    // Browsers apply `form-action` to the redirect that answers the form, too.
    formTargets: [form.target.origin],
  };
}

/** What is shown when `next` is missing or not on the allow-list. */
export function refusedPage(language: Language): Page {
  const text = TEXTS[language];
  const body = html`<main>
<h1><span class="brand">Kedja</span>${text.refusedTitle}</h1>
<p>${text.refused}</p>
</main>`;
  return { language, title: `${text.refusedTitle} – Kedja`, style: PAGE_STYLE, body };
}

function alertOf({ language, problem }: SignInForm) {
  const text = TEXTS[language];
  if (problem?.kind === 'too_many') return html`<p class="alert" role="alert">${text.tooMany(problem.seconds)}</p>`;
  if (problem?.kind === 'unavailable') return html`<p class="alert" role="alert">${text.unavailable}</p>`;
  return undefined;
}

interface Field {
  readonly name: string;
  readonly type: string;
  readonly label: string;
  readonly autocomplete: string;
  readonly value: string;
  readonly error: string;
  readonly isFocused: boolean;
}

function field({ name, type, label, autocomplete, value, error, isFocused }: Field) {
  const focus = isFocused && html` autofocus`;
  const fault = error !== '' && html` aria-invalid="true" aria-describedby="${name}-error"`;
  const message = error !== '' && html`<p class="error" id="${name}-error">${error}</p>`;
  return html`<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" value="${value}" required${focus}${fault}>
${message}`;
}

function hidden(name: string, value: string | undefined) {
  return value !== undefined && html`<input type="hidden" name="${name}" value="${value}">`;
}

function languageSwitch(form: SignInForm) {
  const other = form.language === 'sv' ? 'en' : 'sv';
  const query = new URLSearchParams({ next: form.next, lang: other });
  if (form.state !== undefined) query.set('state', form.state);
  if (form.responseMode !== undefined) query.set('response_mode', form.responseMode);
  return html`<footer><a href="${form.root}login?${query.toString()}" lang="${other}" hreflang="${other}">${TEXTS[form.language].other}</a></footer>`;
}
