// The pages on which patients register (contract: identity, Patient): the choice of the care unit, the form, and the
// confirmation.
import { newEmailField, newPasswordFields } from '#lib/html/account-fields.ts';
import { hiddenField, submitButton, textField } from '#lib/html/form.ts';
import { html, type Page } from '#lib/html/html.ts';
import { renderLayout } from '#lib/html/layout.ts';
import { translator } from '#lib/html/messages.ts';
import { PASSWORD_MIN_LENGTH } from '#lib/passwords/policy.ts';
import { type Choice, type ChoiceStep, choicePage, chosenBox } from '../shared/choice-step.ts';
import { donePage } from '../shared/done-page.ts';
import { ACCOUNT_FIELDS, type FieldTexts, type FormProblem, problemSummary } from '../shared/form-problem.ts';
import { inOtherLanguage, type Journey, journeyHref, journeyInputs } from '../shared/journey.ts';
import messages from './registration-page.messages.json' with { type: 'json' };

/** The error texts of the fields, in the order of the page. */
export const REGISTRATION_FIELDS = {
  email: { ...ACCOUNT_FIELDS.newEmail, ...messages.fields.email },
  personnummer: messages.fields.personnummer,
  password: ACCOUNT_FIELDS.newPassword,
  password_again: ACCOUNT_FIELDS.repeatedPassword,
} satisfies Record<string, FieldTexts>;

export interface RegistrationForm {
  readonly journey: Journey;
  readonly organisation: Choice;
  readonly email?: string;
  readonly personnummer?: string;
  readonly problem?: FormProblem | undefined;
}

export function chooseUnitPage(step: Pick<ChoiceStep, 'journey' | 'search' | 'choices' | 'isGone'>): Page {
  const text = translator(messages.page, step.journey.language);
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
  const text = translator(messages.page, language);
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
  return renderLayout({ language, title: text('title'), content, otherLanguage, hasErrors: problem !== undefined });
}

export function registeredPage(journey: Journey): Page {
  const text = translator(messages.page, journey.language);
  return donePage(journey, { title: text('doneTitle'), text: text('done') });
}
