// What the demo prints when it is ready: accounts, and a suggestion for each face.
import type { Message } from '#lib/html/messages.ts';
import type { DemoAccount, Suggestion } from '../gateway/start-page.ts';
import { patientNamed } from './content/patients.ts';
import {
  DEMO_PASSWORD,
  emailOf,
  LEADER,
  ORGANISATIONS,
  PRIVACY_OFFICER,
  PROFESSIONALS,
  type ProfessionalKey,
} from './content/people.ts';
import messages from './report.messages.json' with { type: 'json' };

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
    suggestions: suggestionsOf(admin.email),
  };
}

function administrator({ email, password }: { readonly email: string; readonly password: string }): DemoAccount {
  return { role: messages.roles.administrator, name: 'SU admin', email, password, href: signInHref('/admin', email) };
}

/** Each with the first screen of their face. */
const STAFF: readonly (readonly [ProfessionalKey, string, Message])[] = [
  ['karin', '/plan', messages.roles.doctor],
  ['erik', '/plan', messages.roles.doctor],
  ['elin', '/plan', messages.roles.dietitian],
  ['sofia', '/care', messages.roles.nurse],
  [LEADER, '/admin', messages.roles.leader],
  [PRIVACY_OFFICER, '/review', messages.roles.officer],
];

/** Leads through the sign-in, filled in with the address, to a screen. */
function signInHref(screen: string, email: string): string {
  return `/auth/login?return_to=${screen}&login_hint=${email}`;
}

function professional([key, screen, { sv, en }]: (typeof STAFF)[number]): DemoAccount {
  const person = PROFESSIONALS[key];
  const place = ORGANISATIONS[person.organisation];
  const role = { sv: `${sv} (${place})`, en: `${en} (${place})` };
  const email = emailOf(person);
  const name = `${person.first} ${person.last}`;
  return { role, name, email, password: DEMO_PASSWORD, href: signInHref(screen, email) };
}

const PATIENTS = ['Margareta Nordin', 'Tuomas Niemi'];
const PATIENT_ROLES: Readonly<Record<string, Message>> = {
  'Margareta Nordin': messages.roles.patientWithPlan,
  'Tuomas Niemi': messages.roles.patientWithoutSharing,
};

function patient(name: string): DemoAccount {
  const role = PATIENT_ROLES[name] ?? messages.roles.patient;
  const email = emailOf(patientNamed(name));
  return { role, name, email, password: DEMO_PASSWORD, href: signInHref('/my', email) };
}

function suggestionsOf(admin: string): readonly Suggestion[] {
  const { signIn, request, caregiver, leader, administrator: administer, operator, officer } = messages.suggestions;
  const margareta = patientNamed('Margareta Nordin');
  const numbered = (text: string) => text.replace('{personnummer}', margareta.personnummer);
  const reviewed = { sv: numbered(officer.text.sv), en: numbered(officer.text.en) };
  const as = (key: ProfessionalKey, screen: string) => signInHref(screen, emailOf(PROFESSIONALS[key]));
  return [
    { ...signIn, href: signInHref('/my', emailOf(margareta)) },
    { ...request, href: as('karin', '/plan') },
    { ...caregiver, href: as('sofia', '/care') },
    { ...leader, href: as(LEADER, '/admin') },
    { ...administer, href: signInHref('/admin', admin) },
    { ...operator, href: signInHref('/operate', admin) },
    { title: officer.title, text: reviewed, href: as(PRIVACY_OFFICER, '/review') },
  ];
}
