// Loads the thirty requests, each to the state of the demo's data. Every step checks the current state first, so that
// an interrupted load continues.
import Type, { type Static } from 'typebox';
import type { Api } from './api.ts';
import { FORMS } from './content/forms.ts';
import { patientNamed } from './content/patients.ts';
import { PLANNERS, type ProfessionalKey } from './content/people.ts';
import { PLANS } from './content/plans.ts';
import { type DemoProvider, PROVIDERS } from './content/providers.ts';
import { type DemoRequest, REQUESTS, type TargetState } from './content/requests.ts';
import { existsOrPut } from './records.ts';
import { type Caregiver, simulateCaregiver } from './simulate-caregiver.ts';
import { forEachOf, type Progress, until } from './work.ts';

const BASE = '/api/v1';

const ServiceRequest = Type.Object({ id: Type.String(), status: Type.String() });
const Found = Type.Object({ entry: Type.Optional(Type.Array(Type.Object({ resource: ServiceRequest }))) });
const Attached = Type.Object({ data: Type.Array(Type.Object({ form_guid: Type.String() })) });
const Match = Type.Object({
  match_guid: Type.String(),
  provider_guid: Type.String(),
  status: Type.String(),
  progress: Type.Optional(Type.String()),
  request_guid: Type.Optional(Type.String()),
});
type Match = Static<typeof Match>;
const Matches = Type.Object({ data: Type.Array(Match) });

export interface RequestOptions extends Caregiver {
  readonly dispatchAs: (person: ProfessionalKey) => Api;
  readonly patients: ReadonlyMap<string, string>;
  readonly providers: ReadonlyMap<string, string>;
  readonly organisations: Readonly<Record<string, string>>;
  readonly progress: Progress;
}

/** A request that is being loaded. */
interface Case {
  readonly request: DemoRequest;
  readonly api: Api;
  readonly path: string;
}

export async function loadRequests(options: RequestOptions): Promise<void> {
  await forEachOf(REQUESTS, async (request) => {
    await carry(request, options);
    options.progress.step('requests');
  });
}

async function carry(request: DemoRequest, options: RequestOptions): Promise<void> {
  const api = options.dispatchAs(PLANNERS[patientNamed(request.patient).organisation]);
  const found = await ensureRequest(request, api, options);
  const path = `${BASE}/ServiceRequest/${found.id}`;
  const current: Case = { request, api, path };
  const status = found.status === 'draft' ? await finish(current) : found.status;
  if (status === 'active' && request.targetState !== 'active') await seekCaregivers(current, options);
  if (request.isArchived) await api.post(`${path}/archive`, {}, Type.Object({}));
}

async function ensureRequest(
  request: DemoRequest,
  api: Api,
  options: RequestOptions,
): Promise<Static<typeof ServiceRequest>> {
  const { carePlanId: id, patient, plan, note } = request;
  const subject = { reference: `Patient/${options.patients.get(patient)}`, display: patient };
  const { organisation } = patientNamed(patient);
  await existsOrPut(api, {
    resourceType: 'CarePlan',
    id,
    status: 'active',
    intent: 'plan',
    title: PLANS[plan].title,
    subject,
    instantiatesCanonical: [PLANS[plan].url],
    custodian: { reference: `Organization/${options.organisations[organisation]}` },
  });
  const basedOn = `CarePlan/${id}`;
  for (const archived of ['false', 'true']) {
    const query = new URLSearchParams({ 'based-on': basedOn, archived });
    const { entry = [] } = await api.get(`${BASE}/ServiceRequest?${query}`, Found);
    if (entry[0] !== undefined) return entry[0].resource;
  }
  const draft = {
    resourceType: 'ServiceRequest',
    status: 'draft',
    intent: 'order',
    priority: priorityOf(request),
    subject,
    basedOn: [{ reference: basedOn }],
    ...(note === undefined ? {} : { note: [{ text: note }] }),
  };
  return api.post(`${BASE}/ServiceRequest`, draft, ServiceRequest);
}

/** The priority decides what the provider with its own system responds (./receiver.ts). */
function priorityOf({ targetState: fate, to }: DemoRequest): string {
  if (to === undefined || PROVIDERS[to].reach !== 'outside') return 'routine';
  const priorities: Partial<Record<TargetState, string>> = {
    in_progress: 'urgent',
    completed: 'asap',
    rejected: 'stat',
  };
  return priorities[fate] ?? 'routine';
}

/** Attaches missing forms and finalizes, unless it is to stay a draft; returns the status. */
async function finish({ request, api, path }: Case): Promise<string> {
  const { data } = await api.get(`${path}/forms`, Attached);
  const attached = new Set(data.map((form) => form.form_guid));
  for (const form of request.forms) {
    const { id } = FORMS[form];
    if (!attached.has(id)) await api.post(`${path}/forms`, { form_guid: id }, Type.Object({}));
  }
  if (request.targetState === 'draft') return 'draft';
  return (await api.post(`${path}/finalize`, {}, ServiceRequest)).status;
}

async function seekCaregivers(current: Case, options: RequestOptions): Promise<void> {
  const { request, api, path } = current;
  await api.post(`${path}/match`, {}, Type.Object({}));
  switch (request.targetState) {
    case 'on-hold':
      await api.post(`${path}/hold`, {}, Type.Object({}));
      return;
    case 'revoked':
      await api.post(`${path}/revoke`, { reason: request.note ?? 'Behövs inte längre' }, Type.Object({}));
      return;
    case 'blocked':
      await api.reply('POST', `${path}/push`, {});
      return;
    case 'draft':
    case 'active':
    case 'matched':
      return;
    default:
      await send(current, options);
  }
}

async function send(current: Case, options: RequestOptions): Promise<void> {
  const { request, api, path } = current;
  if (request.to === undefined) {
    const { data } = await api.get(`${path}/matches`, Matches);
    if (data.some(({ status }) => status === 'pending')) {
      await api.post(`${path}/push`, { selection: 'first' }, Type.Object({}));
    }
    return;
  }
  const match = await matchOf(current, options);
  if (match.status === 'pending') await api.post(`${path}/push/${match.match_guid}`, {}, Type.Object({}));
  const { request_guid: requestGuid = '' } = await matchOf(current, options);
  const { staff }: DemoProvider = PROVIDERS[request.to];
  if (staff !== undefined) {
    const patientGuid = options.patients.get(request.patient) ?? '';
    await simulateCaregiver(options, { request, requestGuid, patientGuid, staff });
  }
  await until(`the request for ${request.patient} was ${request.targetState}`, async () =>
    hasCome(request.targetState, await matchOf(current, options), current),
  );
}

async function matchOf({ request, api, path }: Case, { providers }: RequestOptions): Promise<Match> {
  const { data } = await api.get(`${path}/matches`, Matches);
  const found = data.find((match) => match.provider_guid === providers.get(request.to ?? ''));
  if (found === undefined) throw new Error(`No contract of ${request.to} covers the request for ${request.patient}`);
  return found;
}

/** True when the provider's response has reached dispatch. */
async function hasCome(fate: TargetState, match: Match, { api, path }: Case): Promise<true | undefined> {
  switch (fate) {
    case 'accepted':
    case 'rejected':
      return match.status === fate || undefined;
    case 'acknowledged':
    case 'in_progress':
      return match.progress === fate || undefined;
    case 'completed':
      return (await api.get(path, ServiceRequest)).status === 'completed' || undefined;
    default:
      return true;
  }
}
