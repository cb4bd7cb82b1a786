// The pages on which professionals request an account (contract: identity, Access request; decision I11): the choice of
// the organisation, the choice of the group leader, the form, and the confirmation.
import { newEmailField, newPasswordFields } from '#lib/html/account-fields.ts';
import { type Bilingual, speak } from '#lib/html/bilingual.ts';
import { checkboxField, hiddenField, radioField, submitButton, textField } from '#lib/html/form.ts';
import { html, type Language, type Page } from '#lib/html/html.ts';
import { framed } from '#lib/html/layout.ts';
import { type Choice, type ChoiceStep, choicePage, chosenBox } from '../shared/choice-step.ts';
import { donePage } from '../shared/done-page.ts';
import { type FormProblem, problemSummary } from '../shared/form-problem.ts';
import { inOtherLanguage, type Journey, journeyHref, journeyInputs } from '../shared/journey.ts';

const TEXTS = {
  organisationTitle: { sv: 'Var arbetar du?', en: 'Where do you work?' },
  organisationStep: { sv: 'Begär åtkomst – steg 1 av 3', en: 'Request access – step 1 of 3' },
  organisationLead: { sv: 'Välj din arbetsgivare eller enhet.', en: 'Choose your employer or unit.' },
  organisationLabel: { sv: 'Organisationens namn', en: 'Name of the organisation' },
  leaderTitle: { sv: 'Vem leder ditt arbete?', en: 'Who leads your work?' },
  leaderStep: { sv: 'Begär åtkomst – steg 2 av 3', en: 'Request access – step 2 of 3' },
  leaderLead: {
    sv: 'Välj den gruppledare eller administratör som känner till dig.',
    en: 'Choose the group leader or administrator who knows you.',
  },
  leaderLabel: { sv: 'Ledarens namn', en: 'Name of the leader' },
  title: { sv: 'Begär åtkomst som vårdpersonal', en: 'Request access as care staff' },
  step: { sv: 'Steg 3 av 3', en: 'Step 3 of 3' },
  organisation: { sv: 'Arbetsplats', en: 'Workplace' },
  changeOrganisation: { sv: 'Byt arbetsplats', en: 'Change workplace' },
  leader: { sv: 'Ledare', en: 'Leader' },
  changeLeader: { sv: 'Byt ledare', en: 'Change leader' },
  firstName: { sv: 'Förnamn', en: 'First name' },
  lastName: { sv: 'Efternamn', en: 'Last name' },
  role: { sv: 'Din roll', en: 'Your role' },
  doctor: { sv: 'Läkare', en: 'Doctor' },
  nurse: { sv: 'Sjuksköterska', en: 'Nurse' },
  other: { sv: 'Annan roll i vården', en: 'Another role in care' },
  phases: { sv: 'Delar av arbetet du deltar i', en: 'Parts of the work you take part in' },
  optional: { sv: '(valfritt)', en: '(optional)' },
  planning: { sv: 'Planering', en: 'Planning' },
  analysis: { sv: 'Analys', en: 'Analysis' },
  execution: { sv: 'Genomförande', en: 'Execution' },
  followup: { sv: 'Uppföljning', en: 'Follow-up' },
  submit: { sv: 'Skicka begäran', en: 'Send the request' },
  doneTitle: { sv: 'Din begäran är mottagen', en: 'Your request is received' },
  done: {
    sv: 'En administratör avgör den. När den är godkänd loggar du in med e-postadressen och lösenordet som du valde.',
    en: 'An administrator decides on it. When it is approved, you sign in with the e-mail address and the password you chose.',
  },
} as const satisfies Record<string, Bilingual>;

const ROLES = ['doctor', 'nurse', 'other'] as const;
/** The phases that every system has (decision I5); other phases are shown by their name. */
const KNOWN_PHASES: ReadonlyMap<string, Bilingual> = new Map(
  (['planning', 'analysis', 'execution', 'followup'] as const).map((name) => [name, TEXTS[name]]),
);

type Step = Pick<ChoiceStep, 'journey' | 'search' | 'choices' | 'isGone'>;

export function chooseOrganisationPage(step: Step): Page {
  const text = speak(TEXTS, step.journey.language);
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
  const text = speak(TEXTS, step.journey.language);
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
  const text = speak(TEXTS, language);
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
  return framed({ language, title: text('title'), content, otherLanguage, hasErrors: problem !== undefined });
}

export function requestedPage(journey: Journey): Page {
  const text = speak(TEXTS, journey.language);
  return donePage(journey, { title: text('doneTitle'), text: text('done') });
}

function fieldsOf({ journey, phases, passwordLength, typed, chosenPhases = [], problem }: RequestForm) {
  const { language } = journey;
  const text = speak(TEXTS, language);
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

function phaseName(phase: string, language: Language): string {
  return KNOWN_PHASES.get(phase)?.[language] ?? phase;
}
