// The staff of the demo: four organisations of an invented region, ten professionals, two care teams, and who asks to
// join them.

export const DEMO_PASSWORD = 'stege-moln-trumma-26';

export const ORGANISATIONS = {
  primary: 'Vårdcentralen Björkliden',
  hospital: 'Norrviks sjukhus, medicinkliniken',
  /** These are caregivers too: their staff work in the inbox of the provider of that name (./providers.ts). */
  home: 'Hemsjukvården Älvstranden',
  lungs: 'Hjärt- och lungmottagningen Norrvik',
} as const;
export type OrganisationKey = keyof typeof ORGANISATIONS;

type Phase = 'planning' | 'analysis' | 'execution' | 'followup';

export interface Professional {
  readonly first: string;
  readonly last: string;
  readonly role: 'doctor' | 'nurse' | 'other';
  readonly organisation: OrganisationKey;
  readonly phases: readonly Phase[];
}

export const PROFESSIONALS = {
  karin: professional('Karin', 'Lindqvist', 'doctor', 'primary', 'planning', 'analysis'),
  amina: professional('Amina', 'Yusuf', 'nurse', 'primary', 'planning', 'analysis', 'execution'),
  elin: professional('Elin', 'Öberg', 'other', 'primary', 'analysis', 'followup'),
  erik: professional('Erik', 'Sandström', 'doctor', 'hospital', 'planning', 'analysis'),
  johan: professional('Johan', 'Nyberg', 'nurse', 'hospital', 'analysis', 'execution'),
  petra: professional('Petra', 'Hallgren', 'other', 'hospital', 'execution', 'followup'),
  lars: professional('Lars', 'Holm', 'doctor', 'home', 'planning', 'analysis'),
  sofia: professional('Sofia', 'Bergman', 'nurse', 'home', 'execution'),
  ingrid: professional('Ingrid', 'Dahl', 'other', 'hospital', 'followup'),
  maria: professional('Maria', 'Stenlund', 'nurse', 'lungs', 'execution'),
} as const satisfies Record<string, Professional>;
export type ProfessionalKey = keyof typeof PROFESSIONALS;

/** Who creates the plans and requests of an organisation that has patients. */
export const PLANNERS = { primary: 'karin', hospital: 'erik', home: 'lars' } as const satisfies Partial<
  Record<OrganisationKey, ProfessionalKey>
>;
export type PlanningOrganisation = keyof typeof PLANNERS;

export interface CareTeam {
  readonly name: string;
  readonly description: string;
  /** The first member creates and leads the team. */
  readonly members: readonly [ProfessionalKey, ...ProfessionalKey[]];
  /** Who asks to be a member, which the leader is to decide. */
  readonly asks?: ProfessionalKey;
}

export const CARE_TEAMS: readonly CareTeam[] = [
  {
    name: 'Hjärtsviktsteamet',
    description: 'Följer patienter med hjärtsvikt mellan sjukhus och vårdcentral',
    members: ['erik', 'johan', 'karin', 'petra'],
  },
  {
    name: 'Diabetes- och sårteamet',
    description: 'Diabetes, fotvård och svårläkta sår i hemmet och på mottagningen',
    members: ['amina', 'elin', 'lars', 'sofia'],
    asks: 'petra',
  },
];

/** Reads who has looked at patients' data. */
export const PRIVACY_OFFICER = 'ingrid' satisfies ProfessionalKey;

/** Who leads the team that somebody asks to join. */
export const LEADER = 'amina' satisfies ProfessionalKey;

/** Asks for an account, and names the leader. */
export const APPLICANT: Professional = professional('Nadja', 'Ek', 'nurse', 'primary', 'execution');

/** `Erik Sandström` → `erik.sandstrom@example.org`. */
export function emailOf({ first, last }: { readonly first: string; readonly last: string }): string {
  const plain = `${first}.${last}`.normalize('NFD').replace(/[^A-Za-z.]/g, '');
  return `${plain.toLowerCase()}@example.org`;
}

function professional(
  first: string,
  last: string,
  role: Professional['role'],
  ...[organisation, ...phases]: [OrganisationKey, ...Phase[]]
): Professional {
  return { first, last, role, organisation, phases };
}
