// What the demo prints when it is ready: accounts, and a suggestion for each face.
import type { Message } from '#lib/html/messages.ts';
import type { DemoAccount, Suggestion } from '../gateway/start-page.ts';
import { patientNamed } from './content/patients.ts';
import {
  DEMO_PASSWORD,
  emailOf,
  LEADER,
  ORGANISATIONS,
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
    suggestions: SUGGESTIONS,
  };
}

function administrator({ email, password }: { readonly email: string; readonly password: string }): DemoAccount {
  return { role: messages.roles.administrator, name: 'SU admin', email, password };
}

const STAFF: readonly (readonly [ProfessionalKey, Message])[] = [
  ['karin', messages.roles.doctor],
  ['erik', messages.roles.doctor],
  ['elin', messages.roles.dietitian],
  ['sofia', messages.roles.nurse],
  [LEADER, messages.roles.leader],
];

function professional([key, { sv, en }]: (typeof STAFF)[number]): DemoAccount {
  const person = PROFESSIONALS[key];
  const place = ORGANISATIONS[person.organisation];
  const role = { sv: `${sv} (${place})`, en: `${en} (${place})` };
  return { role, name: `${person.first} ${person.last}`, email: emailOf(person), password: DEMO_PASSWORD };
}

const PATIENTS = ['Margareta Nordin', 'Tuomas Niemi'];
const PATIENT_ROLES: Readonly<Record<string, Message>> = {
  'Margareta Nordin': messages.roles.patientWithPlan,
  'Tuomas Niemi': messages.roles.patientWithoutSharing,
};

function patient(name: string): DemoAccount {
  const role = PATIENT_ROLES[name] ?? messages.roles.patient;
  return { role, name, email: emailOf(patientNamed(name)), password: DEMO_PASSWORD };
}

const { signIn, request, caregiver, leader, administrator: administer } = messages.suggestions;
const SUGGESTIONS: readonly Suggestion[] = [
  { ...signIn, href: '/' },
  { ...request, href: '/plan' },
  { ...caregiver, href: '/care' },
  { ...leader, href: '/admin' },
  { ...administer, href: '/admin' },
];
