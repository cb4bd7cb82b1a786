// The pages on which professionals request an account (contract: identity, Access request; decision I11). They are the
// choice of the organisation, the choice of the group leader, the form, and the confirmation.
import { newEmailField, newPasswordFields } from '#lib/html/account-fields.ts';
import { checkboxField, hiddenField, radioField, submitButton, textField } from '#lib/html/form.ts';
import { html, type Page } from '#lib/html/html.ts';
import { renderLayout } from '#lib/html/layout.ts';
import { translator } from '#lib/html/messages.ts';
import { phaseName } from '#lib/html/people-words.ts';
import { type Choice, type ChoiceStep, choicePage, chosenBox } from '../shared/choice-step.ts';
import { donePage } from '../shared/done-page.ts';
import { type FormProblem, problemSummary } from '../shared/form-problem.ts';
import { inOtherLanguage, type Journey, journeyHref, journeyInputs } from '../shared/journey.ts';
import messages from './request-page.messages.json' with { type: 'json' };

const ROLES = ['doctor', 'nurse', 'other'] as const;

type Step = Pick<ChoiceStep, 'journey' | 'search' | 'choices' | 'isGone'>;

export function chooseOrganisationPage(step: Step): Page {
  const text = translator(messages, step.journey.language);
  return choicePage({
    ...step,
    page: 'access-request',
    parameter: 'organisation_guid',
    title: text('organisationTitle'),
    step: text('organisationStep'),
    lead: text('organisationLead'),
    searchLabel: text('organisationLabel'),
  });
}

export function chooseLeaderPage(step: Step & { readonly organisation: Choice }): Page {
  const text = translator(messages, step.journey.language);
  return choicePage({
    ...step,
    page: 'access-request',
    parameter: 'chosen_leader_guid',
    before: { organisation_guid: step.organisation.guid },
    title: text('leaderTitle'),
    step: text('leaderStep'),
    lead: text('leaderLead'),
    searchLabel: text('leaderLabel'),
  });
}

export interface RequestForm {
  readonly journey: Journey;
  readonly organisation: Choice;
  readonly leader: Choice;
  /** The names of all phases. */
  readonly phases: readonly string[];
  /** The least length of the password. */
  readonly passwordLength: number;
  /** What the user typed before, by field. */
  readonly typed?: Readonly<Record<'first_name' | 'last_name' | 'email' | 'professional_role', string>>;
  readonly chosenPhases?: readonly string[];
  readonly problem?: FormProblem | undefined;
}

export function requestPage(form: RequestForm): Page {
  const { journey, organisation, leader, problem } = form;
  const { language } = journey;
  const text = translator(messages, language);
  const guids = { organisation_guid: organisation.guid, chosen_leader_guid: leader.guid };
  const content = html`<p class="step">${text('step')}</p>
<h1>${text('title')}</h1>
${problemSummary(language, problem)}${chosenBox({
  label: text('organisation'),
  name: organisation.name,
  changeLabel: text('changeOrganisation'),
  href: journeyHref('access-request', journey),
})}${chosenBox({
  label: text('leader'),
  name: leader.name,
  changeLabel: text('changeLeader'),
  href: journeyHref('access-request', journey, { organisation_guid: organisation.guid }),
})}<form method="post" action="access-request" novalidate>
${journeyInputs(journey)}${Object.entries(guids).map(([name, guid]) => hiddenField(name, guid))}
${fieldsOf(form)}
${submitButton(text('submit'))}
</form>`;
  const otherLanguage = journeyHref('access-request', inOtherLanguage(journey), guids);
  return renderLayout({ language, title: text('title'), content, otherLanguage, hasErrors: problem !== undefined });
}

export function requestedPage(journey: Journey): Page {
  const text = translator(messages, journey.language);
  return donePage(journey, { title: text('doneTitle'), text: text('done') });
}

function fieldsOf({ journey, phases, passwordLength, typed, chosenPhases = [], problem }: RequestForm) {
  const { language } = journey;
  const text = translator(messages, language);
  const errors = problem?.errors ?? {};
  const roles = ROLES.map((role) => ({ value: role, label: text(role) }));
  const parts = phases.map((phase) => ({ value: phase, label: phaseName(phase, language) }));
  const chosenRoles = typed === undefined ? [] : [typed.professional_role];
  return html`${textField({ name: 'first_name', label: text('firstName'), autocomplete: 'given-name', value: typed?.first_name, error: errors['first_name'] })}
${textField({ name: 'last_name', label: text('lastName'), autocomplete: 'family-name', value: typed?.last_name, error: errors['last_name'] })}
${newEmailField({ language, errors, value: typed?.email })}
${radioField({ name: 'professional_role', label: text('role'), options: roles, chosen: chosenRoles, error: errors['professional_role'] })}
${checkboxField({ name: 'requested_phases', label: text('phases'), optional: text('optional'), options: parts, chosen: chosenPhases, error: errors['requested_phases'] })}
${newPasswordFields({ language, errors, minLength: passwordLength })}`;
}
