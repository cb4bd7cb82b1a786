// The pages of a sign-in's second step: the code, the set-up of a required second factor, and the recovery codes. They
// are plain forms in Swedish or English that work without scripts. The challenge is sent in the form, never in a URL.
import { type Bilingual, speak } from '#lib/html/bilingual.ts';
import { hiddenField, submitButton, textField } from '#lib/html/form.ts';
import { html, type Markup, type Page } from '#lib/html/html.ts';
import { framed } from '#lib/html/layout.ts';
import { qrImage } from '#lib/html/qr-image.ts';
import type { Setup } from '#lib/second-factor/second-factors.ts';
import { type FieldTexts, type FormProblem, problemSummary } from '../../shared/form-problem.ts';
import { formTargets, inOtherLanguage, type Journey, journeyHref, journeyInputs } from '../../shared/journey.ts';

const TEXTS = {
  title: { sv: 'Ange koden från din app', en: 'Enter the code from your app' },
  lead: {
    sv: 'Ditt konto har tvåstegsverifiering. Öppna appen i telefonen och skriv koden som står där.',
    en: 'Your account has two-step verification. Open the app on your phone and enter the code it shows.',
  },
  code: { sv: 'Kod, sex siffror', en: 'Code, six digits' },
  submit: { sv: 'Logga in', en: 'Sign in' },
  withoutApp: { sv: 'Jag har inte appen', en: 'I do not have the app' },
  recoveryLead: {
    sv: 'Använd en av dina återställningskoder. Har du inga kvar? Då kan en administratör ta bort tvåstegsverifieringen.',
    en: 'Use one of your recovery codes. None left? Then an administrator can remove the two-step verification.',
  },
  fewLeft: { sv: 'Skapa nya återställningskoder', en: 'Make new recovery codes' },
  recovery: { sv: 'Återställningskod', en: 'Recovery code' },
  setUpTitle: { sv: 'Ställ in tvåstegsverifiering', en: 'Set up two-step verification' },
  setUpLead: {
    sv: 'Administratörer behöver mer än ett lösenord för att logga in här: en kod från en autentiseringsapp.',
    en: 'Administrators need more than a password to sign in here: a code from an authenticator app.',
  },
  scan: {
    sv: 'Läs in QR-koden med en autentiseringsapp i telefonen, eller skriv in nyckeln i appen.',
    en: 'Scan the QR code with an authenticator app on your phone, or type the key into the app.',
  },
  qr: {
    sv: 'QR-kod för autentiseringsappen; nyckeln står som text bredvid',
    en: 'QR code for the authenticator app; the key is beside it as text',
  },
  key: { sv: 'Nyckel:', en: 'Key:' },
  enter: { sv: 'Skriv koden som appen visar.', en: 'Enter the code that the app shows.' },
  turnOn: { sv: 'Slå på', en: 'Turn on' },
  codesTitle: { sv: 'Spara dina återställnings\u00adkoder', en: 'Keep your recovery codes' },
  codesLead: {
    sv: 'Tvåstegsverifieringen är på. Med de här koderna kommer du in när du inte har appen; var och en fungerar en gång. De visas bara nu: skriv ner dem, eller spara dem där ingen annan ser dem.',
    en: 'Two-step verification is on. These codes let you in when you do not have the app; each works once. They are shown only now: write them down, or keep them where nobody else sees them.',
  },
  goOn: { sv: 'Jag har sparat koderna', en: 'I have kept the codes' },
} as const satisfies Record<string, Bilingual>;

const WRONG = {
  sv: 'Koden stämmer inte eller är redan använd. Vänta på nästa kod i appen.',
  en: 'The code is wrong or was used before. Wait for the next code in the app.',
};

export const CODE_FIELDS = {
  code: { missing: { sv: 'Fyll i koden.', en: 'Enter the code.' }, invalid: WRONG },
  recovery_code: {
    missing: { sv: 'Fyll i en återställningskod.', en: 'Enter a recovery code.' },
    invalid: {
      sv: 'Återställningskoden stämmer inte eller är redan använd.',
      en: 'The recovery code is wrong or was used before.',
    },
  },
} as const satisfies Record<string, FieldTexts>;

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
  const text = speak(TEXTS, journey.language);
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
  const text = speak(TEXTS, journey.language);
  return step(form, {
    title: text('setUpTitle'),
    content: html`<p>${text('setUpLead')}</p>
${problemSummary(journey.language, problem)}<p>${text('scan')}</p>
<p>${qrImage(setup.otpauthUri, text('qr'))}</p>
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
  const text = speak(TEXTS, form.journey.language);
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
  return framed({
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
