// The thirty requests of the demo and the state of each, so that every state occurs.
import type { FormKey } from './forms.ts';
import type { PlanKey } from './plans.ts';
import type { ProviderKey } from './providers.ts';

/**
 * The state that the request reaches. It is not finalized (`draft`), without matches (`active`), matched, sent
 * (`pushed`), answered by the provider, or refused by the patient's consents (`blocked`). `dead`: its provider is
 * unreachable.
 */
export type TargetState =
  | 'draft'
  | 'active'
  | 'matched'
  | 'pushed'
  | 'dead'
  | 'blocked'
  | 'acknowledged'
  | 'accepted'
  | 'in_progress'
  | 'completed'
  | 'rejected'
  | 'on-hold'
  | 'revoked';

export interface DemoRequest {
  /** The FHIR id of its CarePlan, by which the loader finds the request again. */
  readonly carePlanId: string;
  readonly patient: string;
  readonly plan: PlanKey;
  readonly targetState: TargetState;
  readonly isArchived: boolean;
  /** The provider; when left out, all matched providers, of whom the first to accept gets it. */
  readonly to?: ProviderKey;
  readonly forms: readonly FormKey[];
  readonly note?: string;
}

type Row = readonly [patient: string, fate: TargetState, to?: ProviderKey | undefined, note?: string];

/** Patients whose requests are archived. */
const ARCHIVED = new Set(['Lennart Åkesson', 'Helge Stenberg']);

const HEART: readonly Row[] = [
  ['Margareta Nordin', 'completed', 'home', 'Väger sig helst före kaffet'],
  ['Bengt Lövgren', 'in_progress', 'lungs'],
  ['Ulla Viklund', 'accepted', 'home', 'Ring dottern först'],
  ['Maj-Britt Axelsson', 'pushed'],
  ['Göran Forsberg', 'matched'],
  ['Astrid Berg', 'completed', 'lungs'],
  ['Gunnar Ekström', 'draft', undefined, 'Avvakta provsvar innan uppdraget skickas'],
  ['Kjell Sandgren', 'on-hold', undefined, 'Inneliggande till veckoskiftet'],
  ['Stig Moberg', 'blocked'],
  ['Per-Olof Sjödin', 'blocked'],
];

const DIABETES: readonly Row[] = [
  ['Birgitta Söderlund', 'completed', 'nurses'],
  ['Mohammed Al-Khatib', 'in_progress', 'nurses', 'Tolk: arabiska'],
  ['Marie Fransson', 'acknowledged', 'nurses'],
  ['Kerstin Hedlund', 'rejected', 'nurses'],
  ['Ove Granström', 'dead', 'feet'],
  ['Fatima Hassan', 'draft'],
  ['Tuomas Niemi', 'blocked'],
  ['Monica Dahl', 'revoked', undefined, 'Flyttar till en annan region'],
];

const COPD: readonly Row[] = [
  ['Lennart Åkesson', 'completed', 'lungs'],
  ['Ingrid Wallin', 'pushed', 'rehab'],
  ['Leila Rahimi', 'active'],
  ['Yvonne Ström', 'in_progress', 'lungs'],
  ['Anneli Korhonen', 'completed', 'nurses'],
];

const WOUND: readonly Row[] = [
  ['Elsa Norberg', 'completed', 'home', 'Portkod finns i hemsituationen'],
  ['Arne Hellström', 'in_progress', 'home'],
  ['Vera Lundmark', 'dead', 'feet'],
  ['Sixten Brännlund', 'blocked'],
  ['Rut Engman', 'accepted', 'home'],
  ['Nils Åström', 'rejected', 'home'],
  ['Helge Stenberg', 'revoked'],
];

export const REQUESTS: readonly DemoRequest[] = [
  ...HEART.map((row, index) => request('heart', ['heart'], row, index)),
  ...DIABETES.map((row, index) => request('diabetes', ['diabetes', 'foot'], row, index)),
  ...COPD.map((row, index) => request('copd', ['copd'], row, index)),
  ...WOUND.map((row, index) => request('wound', ['wound', 'home'], row, index)),
];

function request(
  plan: PlanKey,
  forms: readonly FormKey[],
  ...[[patient, fate, to, note], index]: [Row, number]
): DemoRequest {
  return {
    carePlanId: `demo-${plan}-${index + 1}`,
    patient,
    plan,
    targetState: fate,
    isArchived: ARCHIVED.has(patient),
    forms,
    ...(to === undefined ? {} : { to }),
    ...(note === undefined ? {} : { note }),
  };
}
