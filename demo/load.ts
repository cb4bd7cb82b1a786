// Loads the demo's data by the public APIs. It is idempotent, fast when everything is loaded, and continues an
// interrupted load.
import type { Clock } from '#lib/clock.ts';
import { type Api, createApi } from './api.ts';
import { CONCEPTS } from './content/concepts.ts';
import { FORMS } from './content/forms.ts';
import { PATIENTS } from './content/patients.ts';
import { CARE_TEAMS, LEADER, ORGANISATIONS, PROFESSIONALS, type ProfessionalKey } from './content/people.ts';
import { ACTIVITIES, GOALS, PLANS } from './content/plans.ts';
import { PROVIDERS } from './content/providers.ts';
import { REQUESTS } from './content/requests.ts';
import { loadApplicant, loadGroups } from './load-groups.ts';
import { loadLibrary } from './load-library.ts';
import { isSealed, loadPatients, sealDemo } from './load-patients.ts';
import {
  linkProvider,
  loadCareTeams,
  loadOrganisations,
  loadProfessionals,
  type Staff,
  signIn,
} from './load-people.ts';
import { loadProviders, reconnectReceiver } from './load-providers.ts';
import { loadRequests } from './load-requests.ts';
import type { DemoReceiver } from './receiver.ts';
import { type DemoReport, demoReport } from './report.ts';
import { allEnded, createProgress } from './work.ts';

export interface DemoOptions {
  /** Origins of the services, without a slash at the end. */
  readonly identity: string;
  readonly dispatch: string;
  readonly engine: string;
  readonly admin: { readonly email: string; readonly password: string };
  /** The outside provider's system (./receiver.ts). */
  readonly receiver: DemoReceiver;
  /** An address that never responds. */
  readonly deadUrl: string;
  readonly clock: Clock;
  onProgress(done: number, total: number, what: string): void;
}

/** The number of each; their sum is the number of steps of a load. */
export const DEMO_COUNTS = {
  organisations: Object.keys(ORGANISATIONS).length,
  professionals: Object.keys(PROFESSIONALS).length,
  careTeams: CARE_TEAMS.length,
  groups: CARE_TEAMS.length,
  patients: PATIENTS.length,
  concepts: CONCEPTS.length,
  activities: ACTIVITIES.length,
  goals: GOALS.length,
  plans: Object.keys(PLANS).length,
  forms: Object.keys(FORMS).length,
  providers: Object.keys(PROVIDERS).length,
  requests: REQUESTS.length,
} as const;

/** @throws Error that names the failed call; another run continues from there */
export async function loadDemo(options: DemoOptions): Promise<DemoReport> {
  const { identity, dispatch, engine, admin, receiver } = options;
  const token = await signIn(identity, admin.email, admin.password);
  const as = {
    identity: createApi(identity, { token }),
    dispatch: createApi(dispatch, { token }),
    engine: createApi(engine, { token }),
  };
  if (await isSealed(as.dispatch)) await reconnectReceiver({ ...as, receiver });
  else await loadAll(options, as);
  return demoReport(admin, DEMO_COUNTS);
}

type AdminApis = Readonly<Record<'identity' | 'dispatch' | 'engine', Api>>;

async function loadAll(options: DemoOptions, admin: AdminApis): Promise<void> {
  const { identity } = options;
  const total = Object.values(DEMO_COUNTS).reduce((sum, count) => sum + count, 0);
  const progress = createProgress(total, options.onProgress);
  const organisations = await loadOrganisations(admin.identity, progress);
  const staff = await loadProfessionals(identity, admin.identity, { organisations, progress });
  const dispatchAs = apiOf(options.dispatch, staff);
  const engineAs = apiOf(options.engine, staff);
  const identityAs = apiOf(identity, staff);
  const people = { identity, dispatchAs, engineAs, organisations, progress };
  const parts = [
    loadLibrary(engineAs('karin'), progress),
    loadProviders({ ...options, engine: admin.engine, dispatch: admin.dispatch, progress }),
    loadPatients(people),
    loadCareTeams(engineAs, staff, { organisations, progress }),
    loadGroups({ identityAs, admin: admin.identity, progress }),
  ] as const;
  await allEnded(parts);
  const [{ concepts }, providers, patients] = await Promise.all(parts);
  await loadApplicant(identity, identityAs(LEADER), organisations);
  for (const key of ['home', 'lungs'] as const)
    await linkProvider(admin.identity, organisations[key], providers.get(key) ?? '');
  const now = options.clock.now();
  await loadRequests({ dispatchAs, engineAs, concepts, providers, patients, organisations, now, progress });
  await sealDemo({ dispatchAs }, patients);
}

function apiOf(base: string, staff: Staff): (person: ProfessionalKey) => Api {
  return (person) => createApi(base, { token: staff.get(person)?.token ?? '' });
}
