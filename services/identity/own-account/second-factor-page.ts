// The page of the user's own second factor (decision L12): on with an app, and off with the password and a code.
import { alertText, hiddenField, submitButton, textField } from '#lib/html/form.ts';
import { html, type Language, type Markup, type Page } from '#lib/html/html.ts';
import { other, renderLayout } from '#lib/html/layout.ts';
import { translator } from '#lib/html/messages.ts';
import { qrImage } from '#lib/html/qr-image.ts';
import type { Setup } from '#lib/second-factor/second-factors.ts';
import { type FormProblem, problemSummary } from '../shared/form-problem.ts';
import messages from './account-page.messages.json' with { type: 'json' };

export interface FactorView {
  readonly language: Language;
  /** The relative path to identity's root. */
  readonly root: string;
  readonly state: { readonly isOn: boolean; readonly recoveryCodesLeft: number; readonly isRequired: boolean };
  /** The secret that waits for its first code. */
  readonly setup?: Setup | undefined;
  readonly problem?: FormProblem | undefined;
  /** The change did not fit the present state. */
  readonly isConflict?: boolean;
  readonly isTurnedOff?: boolean;
}

export function secondFactorPage(view: FactorView): Page {
  const { language, state, setup, problem, isConflict = false, isTurnedOff = false } = view;
  const text = translator(messages.factor, language);
  const parts = setup !== undefined ? setUpForm(view, setup) : state.isOn ? onPart(view) : beginForm(view);
  return frame(view, {
    content: html`${
      isTurnedOff &&
      html`<p role="status" class="note">${text('turnedOff')}</p>
`
    }${isConflict && alertText(text('conflict'))}${problemSummary(language, problem)}${parts}`,
    hasErrors: isConflict || problem !== undefined,
  });
}

/** Shown once. */
export function factorCodesPage(view: Pick<FactorView, 'language' | 'root'>, codes: readonly string[]): Page {
  const text = translator(messages.factor, view.language);
  return frame(view, {
    content: html`<h2>${text('codesTitle')}</h2>
<p>${text('codesLead')}</p>
<ul class="codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>`,
  });
}

function frame(
  { language, root }: Pick<FactorView, 'language' | 'root'>,
  { content, hasErrors = false }: { readonly content: Markup; readonly hasErrors?: boolean },
): Page {
  const text = translator(messages.factor, language);
  return renderLayout({
    language,
    title: text('title'),
    content: html`<h1>${text('title')}</h1>
${content}
<ul class="links"><li><a href="${root}account?lang=${language}">${text('account')}</a></li></ul>`,
    otherLanguage: `${root}account/second-factor?lang=${other(language)}`,
    hasErrors,
  });
}

function beginForm({ language, root, problem }: FactorView): Markup {
  const text = translator(messages.factor, language);
  return html`<p>${text('off')}</p>
<form method="post" action="${root}account/second-factor" novalidate>${hiddenField('lang', language)}
${passwordField(language, problem)}
${submitButton(text('begin'))}
</form>`;
}

function setUpForm({ language, root, problem }: FactorView, setup: Setup): Markup {
  const text = translator(messages.factor, language);
  return html`<p>${text('scan')}</p>
<p>${qrImage(setup.otpauthUri, text('qr'))}</p>
<p><code>${setup.secret.replaceAll(/.{4}(?=.)/g, '$& ')}</code></p>
<form method="post" action="${root}account/second-factor/confirm" novalidate>${hiddenField('lang', language)}
<p>${text('enter')}</p>
${codeField(language, problem, 'fromApp')}
${submitButton(text('begin'))}
</form>`;
}

function onPart({ language, root, state, problem }: FactorView): Markup {
  const text = translator(messages.factor, language);
  const off = html`<h2>${text('offTitle')}</h2>
<p>${text('newPhone')}</p>
<form method="post" action="${root}account/second-factor/disable" novalidate>${hiddenField('lang', language)}
${passwordField(language, problem)}
${codeField(language, problem)}
${submitButton(text('turnOff'))}
</form>`;
  return html`<p>${text('on', { n: state.recoveryCodesLeft })}${state.isRequired && html` ${text('required')}`}</p>
<ul class="links"><li><a href="${root}recovery-codes?lang=${language}">${text('renew')}</a></li></ul>
${!state.isRequired && off}`;
}

function passwordField(language: Language, problem: FormProblem | undefined): Markup {
  const label = messages.account.password[language];
  const error = problem?.errors['current_password'];
  return textField({ name: 'current_password', type: 'password', label, autocomplete: 'current-password', error });
}

/** `fromApp`: who sets it up has no recovery codes yet. */
function codeField(language: Language, problem: FormProblem | undefined, kind: 'any' | 'fromApp' = 'any'): Markup {
  const text = translator(messages.account, language);
  return textField({
    name: 'code',
    label: text('code'),
    ...(kind === 'any' ? { hint: text('codeHint') } : {}),
    autocomplete: 'one-time-code',
    error: problem?.errors['code'],
  });
}
