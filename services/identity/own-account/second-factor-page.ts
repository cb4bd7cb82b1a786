// The page of the user's own second factor (decision L12): on with an app, another app in its place, and off with the
// password and a code.
import { alertText, hiddenField, submitButton, textField } from '#lib/html/form.ts';
import { html, type Language, type Markup, type Page } from '#lib/html/html.ts';
import { other, renderLayout } from '#lib/html/layout.ts';
import { translator } from '#lib/html/messages.ts';
import { SWEDISH_TIME, timeOfDay } from '#lib/html/moment-text.ts';
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
  /** What the user proves before the secret of another app is shown, instead of the present state. */
  readonly form?: 'replace' | undefined;
  /** The change did not fit the present state: another one was made, or the secret has expired. */
  readonly conflict?: 'changed' | 'lapsed' | undefined;
  readonly isTurnedOff?: boolean;
}

export function secondFactorPage(view: FactorView): Page {
  const { language, root, state, setup, problem, conflict, isTurnedOff = false } = view;
  const text = translator(messages.factor, language);
  return frame(view, {
    content: html`${
      isTurnedOff &&
      html`<p role="status" class="note">${text('turnedOff')}</p>
`
    }${conflict && alertText(text(conflict))}${problemSummary(language, problem)}${setup === undefined ? statePart(view) : setUpForm(view, setup)}`,
    links:
      state.isOn &&
      (setup !== undefined || view.form === 'replace') &&
      html`<li><a href="${root}account/second-factor?lang=${language}">${text('keep')}</a></li>\n`,
    hasErrors: conflict !== undefined || problem !== undefined,
  });
}

function statePart(view: FactorView): Markup {
  if (!view.state.isOn) return beginForm(view);
  return view.form === 'replace' ? replaceForm(view) : onPart(view);
}

interface NewCodes {
  readonly codes: readonly string[];
  /** Whether there was another app before. */
  readonly hasReplaced: boolean;
}

/** Shown once. */
export function factorCodesPage(view: Frame, { codes, hasReplaced }: NewCodes): Page {
  const text = translator(messages.factor, view.language);
  return frame(view, {
    content: html`<h2>${text('codesTitle')}</h2>
<p>${text(hasReplaced ? 'replacedLead' : 'codesLead')} ${text('keepCodes')}</p>
<ul class="codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>`,
  });
}

interface Content {
  readonly content: Markup;
  /** Before the link to the account. */
  readonly links?: Markup | false;
  readonly hasErrors?: boolean;
}

type Frame = Pick<FactorView, 'language' | 'root' | 'form'>;

function frame({ language, root, form }: Frame, { content, links = false, hasErrors = false }: Content): Page {
  const text = translator(messages.factor, language);
  return renderLayout({
    language,
    title: text('title'),
    content: html`<h1>${text('title')}</h1>
${content}
<ul class="links">${links}<li><a href="${root}account?lang=${language}">${text('account')}</a></li></ul>`,
    otherLanguage: `${root}account/second-factor${form === undefined ? '' : `/${form}`}?lang=${other(language)}`,
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

/** The password and a code of the app that is in force. */
function replaceForm({ language, root, problem }: FactorView): Markup {
  const text = translator(messages.factor, language);
  return html`<h2>${text('replaceTitle')}</h2>
<p>${text('replaceLead')}</p>
<form method="post" action="${root}account/second-factor/replace" novalidate>${hiddenField('lang', language)}
${passwordField(language, problem)}
${codeField(language, problem)}
${submitButton(text('replaceBegin'))}
</form>
<p>${text('lostBoth')}</p>`;
}

function setUpForm({ language, root, problem, state }: FactorView, setup: Setup): Markup {
  const text = translator(messages.factor, language);
  const time = timeOfDay(setup.expiresAt, { language, timeZone: SWEDISH_TIME });
  const steps = state.isOn
    ? { scan: text('scanNew'), enter: text('enterNew', { time }), submit: text('replace') }
    : { scan: text('scan'), enter: text('enter', { time }), submit: text('begin') };
  return html`${
    state.isOn &&
    html`<h2>${text('replaceTitle')}</h2>
`
  }<p>${steps.scan}</p>
<p>${qrImage(setup.otpauthUri, text('qr'))}</p>
<p><a class="link" href="${setup.otpauthUri}">${text('openApp')}</a></p>
<p><code>${setup.secret.replaceAll(/.{4}(?=.)/g, '$& ')}</code></p>
<form method="post" action="${root}account/second-factor/confirm" novalidate>${hiddenField('lang', language)}${hiddenField('secret', setup.secret)}
<p>${steps.enter}</p>
${codeField(language, problem, 'fromApp')}
${submitButton(steps.submit)}
</form>`;
}

function onPart({ language, root, state, problem }: FactorView): Markup {
  const text = translator(messages.factor, language);
  const off = html`<h2>${text('offTitle')}</h2>
<form method="post" action="${root}account/second-factor/disable" novalidate>${hiddenField('lang', language)}
${passwordField(language, problem)}
${codeField(language, problem)}
${submitButton(text('turnOff'))}
</form>`;
  return html`<p>${text('on', { n: state.recoveryCodesLeft })}${state.isRequired && html` ${text('required')}`}</p>
<ul class="links"><li><a href="${root}account/second-factor/replace?lang=${language}">${text('replaceTitle')}</a></li>
<li><a href="${root}recovery-codes?lang=${language}">${text('renew')}</a></li></ul>
${!state.isRequired && off}`;
}

function passwordField(language: Language, problem: FormProblem | undefined): Markup {
  const label = messages.account.password[language];
  const error = problem?.errors['current_password'];
  return textField({ name: 'current_password', type: 'password', label, autocomplete: 'current-password', error });
}

/** `fromApp`: a recovery code does not confirm a new app. */
function codeField(language: Language, problem: FormProblem | undefined, kind: 'any' | 'fromApp' = 'any'): Markup {
  const text = translator(messages.account, language);
  return textField({
    name: 'code',
    label: text('code'),
    ...(kind === 'any' ? { hint: text('codeHint') } : { inputmode: 'numeric' }),
    autocomplete: 'one-time-code',
    error: problem?.errors['code'],
  });
}
