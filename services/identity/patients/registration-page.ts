// The pages on which patients register (contract: identity, Patient): the choice of the care unit, the form, and the
// confirmation.
import { newEmailField, newPasswordFields } from '#lib/html/account-fields.ts';
import { type Bilingual, speak } from '#lib/html/bilingual.ts';
import { hiddenField, submitButton, textField } from '#lib/html/form.ts';
import { html, type Page } from '#lib/html/html.ts';
import { framed } from '#lib/html/layout.ts';
import { PASSWORD_MIN_LENGTH } from '#lib/passwords/policy.ts';
import { type Choice, type ChoiceStep, choicePage, chosenBox } from '../shared/choice-step.ts';
import { donePage } from '../shared/done-page.ts';
import {
  type FieldTexts,
  type FormProblem,
  NEW_EMAIL_TEXTS,
  NEW_PASSWORD_TEXTS,
  problemSummary,
  REPEATED_PASSWORD_TEXTS,
} from '../shared/form-problem.ts';
import { inOtherLanguage, type Journey, journeyHref, journeyInputs } from '../shared/journey.ts';

const TEXTS = {
  chooseTitle: { sv: 'Var får du din vård?', en: 'Where do you receive your care?' },
  chooseStep: { sv: 'Registrera dig som patient – steg 1 av 2', en: 'Register as a patient – step 1 of 2' },
  chooseLead: { sv: 'Välj den enhet som du registrerar dig hos.', en: 'Choose the care unit you register with.' },
  chooseLabel: { sv: 'Enhetens namn', en: 'Name of the care unit' },
  title: { sv: 'Registrera dig som patient', en: 'Register as a patient' },
  step: { sv: 'Steg 2 av 2', en: 'Step 2 of 2' },
  unit: { sv: 'Din vårdenhet', en: 'Your care unit' },
  change: { sv: 'Byt enhet', en: 'Change care unit' },
  number: { sv: 'Personnummer eller samordningsnummer', en: 'Swedish personal or coordination number' },
  numberHint: { sv: '10 eller 12 siffror', en: '10 or 12 digits' },
  submit: { sv: 'Registrera', en: 'Register' },
  doneTitle: { sv: 'Du är registrerad', en: 'You are registered' },
  done: {
    sv: 'Nu kan du logga in med din e-postadress och ditt lösenord.',
    en: 'You can now sign in with your e-mail address and your password.',
  },
} as const satisfies Record<string, Bilingual>;

/** The error texts of the fields, in the order of the page. */
export const REGISTRATION_FIELDS = {
  email: {
    ...NEW_EMAIL_TEXTS,
    taken: {
      sv: 'E-postadressen är redan registrerad. Logga in i stället.',
      en: 'The e-mail address is already registered. Sign in instead.',
    },
  },
  personnummer: {
    missing: { sv: 'Fyll i ditt personnummer.', en: 'Enter your personal number.' },
    invalid: {
      sv: 'Numret stämmer inte. Skriv till exempel 19121212-1212.',
      en: 'The number is not right. Write it like 19121212-1212.',
    },
    taken: { sv: 'Personnumret är redan registrerat.', en: 'The personal number is already registered.' },
  },
  password: NEW_PASSWORD_TEXTS,
  password_again: REPEATED_PASSWORD_TEXTS,
} as const satisfies Record<string, FieldTexts>;

export interface RegistrationForm {
  readonly journey: Journey;
  readonly organisation: Choice;
  readonly email?: string;
  readonly personnummer?: string;
  readonly problem?: FormProblem | undefined;
}

export function chooseUnitPage(step: Pick<ChoiceStep, 'journey' | 'search' | 'choices' | 'isGone'>): Page {
  const text = speak(TEXTS, step.journey.language);
  return choicePage({
    ...step,
    page: 'register',
    parameter: 'organisation_guid',
    title: text('chooseTitle'),
    step: text('chooseStep'),
    lead: text('chooseLead'),
    searchLabel: text('chooseLabel'),
  });
}

export function registrationPage({ journey, organisation, email, personnummer, problem }: RegistrationForm): Page {
  const { language } = journey;
  const text = speak(TEXTS, language);
  const { guid, name } = organisation;
  const errors = problem?.errors ?? {};
  const unit = { label: text('unit'), name, changeLabel: text('change'), href: journeyHref('register', journey) };
  const content = html`<p class="step">${text('step')}</p>
<h1>${text('title')}</h1>
${problemSummary(language, problem)}${chosenBox(unit)}<form method="post" action="register" novalidate>
${journeyInputs(journey)}${hiddenField('organisation_guid', guid)}
${newEmailField({ language, errors, value: email })}
${textField({ name: 'personnummer', label: text('number'), hint: text('numberHint'), autocomplete: 'off', inputmode: 'numeric', value: personnummer, error: errors['personnummer'] })}
${newPasswordFields({ language, errors, minLength: PASSWORD_MIN_LENGTH })}
${submitButton(text('submit'))}
</form>`;
  const otherLanguage = journeyHref('register', inOtherLanguage(journey), { organisation_guid: guid });
  return framed({ language, title: text('title'), content, otherLanguage, hasErrors: problem !== undefined });
}

export function registeredPage(journey: Journey): Page {
  const text = speak(TEXTS, journey.language);
  return donePage(journey, { title: text('doneTitle'), text: text('done') });
}
