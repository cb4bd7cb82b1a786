// The pages of a sign-in's second step: the code, the set-up of a required second factor, and the recovery codes. They
// are plain forms in Swedish or English that work without scripts. The challenge is sent in the form, never in a URL.
import { hiddenField, submitButton, textField } from '#lib/html/form.ts';
import { html, type Markup, type Page } from '#lib/html/html.ts';
import { renderLayout } from '#lib/html/layout.ts';
import { translator } from '#lib/html/messages.ts';
import { qrImage } from '#lib/html/qr-image.ts';
import type { Setup } from '#lib/second-factor/second-factors.ts';
import { type FieldTexts, type FormProblem, problemSummary } from '../../shared/form-problem.ts';
import { formTargets, inOtherLanguage, type Journey, journeyHref, journeyInputs } from '../../shared/journey.ts';
import messages from './second-step-page.messages.json' with { type: 'json' };

export const CODE_FIELDS = messages.fields satisfies Record<string, FieldTexts>;

export interface StepForm {
  readonly journey: Journey;
  /** The relative path to identity's root: a number of `../`. */
  readonly root: string;
  readonly challenge: string;
  readonly problem?: FormProblem | undefined;
}

/** Asks for a code of the app, or for a recovery code from users who lost the app. */
export function codePage(form: StepForm): Page {
  const { journey, root, problem } = form;
  const text = translator(messages.page, journey.language);
  const errors = problem?.errors ?? {};
  const isRecovery = errors['recovery_code'] !== undefined;
  return step(form, {
    title: text('title'),
    content: html`<p>${text('lead')}</p>
${problemSummary(journey.language, problem)}<form method="post" action="${root}login/code" novalidate>
${carried(form)}${codeField(text('code'), errors['code'], problem === undefined)}
${submitButton(text('submit'))}
</form>
<details${isRecovery && html` open`}><summary>${text('withoutApp')}</summary>
<p>${text('recoveryLead')}</p>
<form method="post" action="${root}login/code" novalidate>
${carried(form)}${textField({ name: 'recovery_code', label: text('recovery'), autocomplete: 'off', error: errors['recovery_code'] })}
${submitButton(text('submit'))}
</form>
<p><a href="${root}recovery-codes?lang=${journey.language}">${text('fewLeft')}</a></p></details>`,
  });
}

/** The secret of a new second factor, and the field for its first code. */
export function setUpPage(form: StepForm, setup: Setup): Page {
  const { journey, root, problem } = form;
  const text = translator(messages.page, journey.language);
  return step(form, {
    title: text('setUpTitle'),
    content: html`<p>${text('setUpLead')}</p>
${problemSummary(journey.language, problem)}<p>${text('scan')}</p>
<p>${qrImage(setup.otpauthUri, text('qr'))}</p>
<p><a class="link" href="${setup.otpauthUri}">${text('openApp')}</a></p>
<p>${text('key')} <code>${inFours(setup.secret)}</code></p>
<form method="post" action="${root}login/set-up" novalidate>
${carried(form)}<p>${text('enter')}</p>
${codeField(text('code'), problem?.errors['code'], false)}
${submitButton(text('turnOn'))}
</form>`,
  });
}

/** Shown once, before the sign-in goes on. */
export function recoveryCodesPage(form: StepForm, codes: readonly string[]): Page {
  const text = translator(messages.page, form.journey.language);
  return step(form, {
    title: text('codesTitle'),
    content: html`<p>${text('codesLead')}</p>
<ul class="codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
<form method="post" action="${form.root}login/continue">
${carried(form)}${submitButton(text('goOn'))}
</form>`,
  });
}

function step({ journey, root, problem }: StepForm, { title, content }: { title: string; content: Markup }): Page {
  return renderLayout({
    language: journey.language,
    title,
    content: html`<h1>${title}</h1>
${content}`,
    // The response to a form cannot be requested again in the other language: the link starts the sign-in again.
    otherLanguage: journeyHref(`${root}login`, inOtherLanguage(journey)),
    hasErrors: problem !== undefined,
    formTargets: formTargets(journey),
  });
}

function carried({ journey, challenge }: StepForm): readonly (Markup | undefined)[] {
  return [...journeyInputs(journey), hiddenField('challenge', challenge)];
}

function codeField(label: string, error: string | undefined, isFocused: boolean): Markup {
  return textField({ name: 'code', label, autocomplete: 'one-time-code', inputmode: 'numeric', error, isFocused });
}

function inFours(secret: string): string {
  return secret.replaceAll(/.{4}(?=.)/g, '$& ');
}
