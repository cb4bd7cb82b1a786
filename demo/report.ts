// What the demo prints when it is ready: accounts, and three suggestions.
import type { DemoAccount, Suggestion } from '../gateway/start-page.ts';
import { patientNamed } from './content/patients.ts';
import { DEMO_PASSWORD, emailOf, ORGANISATIONS, PROFESSIONALS, type ProfessionalKey } from './content/people.ts';

export interface DemoReport {
  /** The number of each that was loaded. */
  readonly counts: Readonly<Record<string, number>>;
  readonly accounts: readonly DemoAccount[];
  readonly suggestions: readonly Suggestion[];
}

export function demoReport(
  admin: { readonly email: string; readonly password: string },
  counts: DemoReport['counts'],
): DemoReport {
  return {
    counts,
    accounts: [administrator(admin), ...STAFF.map(professional), ...PATIENTS.map(patient)],
    suggestions: SUGGESTIONS,
  };
}

function administrator({ email, password }: { readonly email: string; readonly password: string }): DemoAccount {
  return { role: { sv: 'Administratör', en: 'Administrator' }, name: 'SU admin', email, password };
}

const STAFF: readonly (readonly [ProfessionalKey, sv: string, en: string])[] = [
  ['karin', 'Läkare, planerar', 'Doctor, plans'],
  ['erik', 'Läkare, planerar', 'Doctor, plans'],
  ['elin', 'Dietist, läser resultat', 'Dietitian, reads results'],
  ['sofia', 'Sjuksköterska, utför', 'Nurse, performs'],
];

function professional([key, sv, en]: (typeof STAFF)[number]): DemoAccount {
  const person = PROFESSIONALS[key];
  const place = ORGANISATIONS[person.organisation];
  const role = { sv: `${sv} (${place})`, en: `${en} (${place})` };
  return { role, name: `${person.first} ${person.last}`, email: emailOf(person), password: DEMO_PASSWORD };
}

const PATIENTS = ['Margareta Nordin', 'Tuomas Niemi'];
const PATIENT_ROLES: Readonly<Record<string, { sv: string; en: string }>> = {
  'Margareta Nordin': { sv: 'Patient med färdig hjärtsviktsplan', en: 'Patient whose heart failure plan is done' },
  'Tuomas Niemi': { sv: 'Patient som nekat delning', en: 'Patient who has denied sharing' },
};

function patient(name: string): DemoAccount {
  const role = PATIENT_ROLES[name] ?? { sv: 'Patient', en: 'Patient' };
  return { role, name, email: emailOf(patientNamed(name)), password: DEMO_PASSWORD };
}

const SUGGESTIONS: readonly Suggestion[] = [
  {
    title: { sv: 'Logga in som Karin', en: 'Sign in as Karin' },
    text: {
      sv: 'med knappen på startsidan; den token som visas läggs in under Authorize i tjänsternas API-referens',
      en: 'by the button of the start page; the token that it shows goes under Authorize in the services’ API reference',
    },
    href: '/',
  },
  {
    title: { sv: 'Följ en remiss', en: 'Follow a request' },
    text: {
      sv: 'GET /ServiceRequest och dess matches; som administratör GET /dead-letters: en mottagare svarar aldrig',
      en: 'GET /ServiceRequest and its matches; as the administrator GET /dead-letters: one receiver never answers',
    },
    href: '/dispatch/docs/',
  },
  {
    title: { sv: 'Svara som utförare', en: 'Answer as a caregiver' },
    text: {
      sv: 'som administratör GET /provider-tasks?status=received; acceptera en av uppgifterna och rapportera',
      en: 'as the administrator GET /provider-tasks?status=received; accept one of the tasks and report',
    },
    href: '/engine/docs/',
  },
];
