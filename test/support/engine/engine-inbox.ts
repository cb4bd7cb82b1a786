// A provider with an open inbox, and webhooks as dispatch sends them.
import { randomBytes } from 'node:crypto';
import type { Principal, StaffMembership } from '#lib/auth/principal.ts';
import { newGuid } from '#lib/guid.ts';
import { signWebhook } from '#lib/webhook/signature.ts';
import type { Hooks } from '../hooks.ts';
import { makePrincipal } from '../http-app.ts';
import { type EngineResponse, ORGANISATION, PATIENT, startTestEngine, type TestEngine } from './engine.ts';
import { type PlayedDispatch, playDispatch } from './engine-dispatch.ts';

export interface TestInbox extends TestEngine {
  readonly dispatch: PlayedDispatch;
  /**
   * The guid of the provider with the inbox. The caller `provider` acts for it by a key; `nurse` (Sara Ek) and
   * `colleague` (Bo Dahl) are its staff, `otherNurse` is another's.
   */
  readonly provider: string;
  /** Sends a signed webhook and returns the status. */
  send(message: WebhookMessage, changes?: SendChanges): Promise<number>;
  /** The same, with the whole response. */
  deliver(message: WebhookMessage, changes?: SendChanges): Promise<Pick<EngineResponse, 'status' | 'headers'>>;
  /** Pushes a new request to the provider. */
  push(): Promise<PushedRequest>;
}

export interface WebhookMessage {
  readonly type: string;
  readonly data: object;
}

export interface SendChanges {
  readonly id?: string;
  readonly secret?: string;
  readonly provider?: string;
  /** Changes the body after it was signed. */
  readonly tamper?: boolean;
  readonly secondsAgo?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface PushedRequest {
  readonly requestGuid: string;
  readonly token: string;
  readonly message: WebhookMessage;
}

/** Who asks for every pushed request, as tasks show it. */
export const REQUESTER = {
  person: 'Karin Lind',
  unit: 'Vårdcentralen Linden',
  contacts: [{ system: 'phone', value: '040-123' }],
};
export const FORM_URL = 'https://example.org/forms/breath';

export async function startTestInbox(
  hooks: Hooks,
  changes: Parameters<typeof startTestEngine>[1] = {},
): Promise<TestInbox> {
  const dispatch = playDispatch();
  // The guid is known only after the provider is created, but callers are given at the start.
  const caller = { ...makePrincipal(['provider'], { kind: 'api_key' }), providerGuid: '' };
  const organisationGuid = newGuid();
  const memberships: StaffMembership[] = [];
  const staff = (name: string, organisation: string): Principal =>
    makePrincipal(['professional', 'clinician', 'provider'], {
      id: newGuid(),
      name,
      professionalGuid: newGuid(),
      organisationGuids: [organisation],
      phases: new Set(['execution']),
      staffOf:
        organisation === organisationGuid ? memberships : [{ organisationGuid: organisation, providerGuid: newGuid() }],
    });
  const callers: Record<string, Principal> = {
    provider: caller,
    otherProvider: { ...caller, providerGuid: newGuid() },
    nurse: staff('Sara Ek', organisationGuid),
    colleague: staff('Bo Dahl', organisationGuid),
    otherNurse: staff('Eva Al', newGuid()),
  };
  const engine = await startTestEngine(hooks, { callers, dispatch: dispatch.client, ...changes });
  const made = await engine.call('admin', 'POST', '/providers', { name: 'Hemvården', region: 'Skåne' });
  const provider = String(made.body.provider_guid);
  caller.providerGuid = provider;
  memberships.push({ organisationGuid, providerGuid: provider });
  const opened = await engine.call('admin', 'PUT', `/providers/${provider}/inbox`, { enabled: true });
  if (opened.status !== 200) throw new Error(`The inbox cannot be opened: ${opened.text}`);

  const deliver: TestInbox['deliver'] = async ({ type, data }, changes = {}) => {
    const target = changes.provider ?? provider;
    const body = JSON.stringify({ type, timestamp: new Date(engine.clock.time).toISOString(), data });
    const timestampSeconds = Math.floor(engine.clock.time / 1000) - (changes.secondsAgo ?? 0);
    const secret = changes.secret ?? dispatch.secrets.get(provider) ?? '';
    const headers = signWebhook({ id: changes.id ?? newGuid(), timestampSeconds, body }, [secret]);
    const answer = await engine.app.inject({
      method: 'POST',
      url: `/api/v1/provider-tasks/inbox?provider_guid=${target}`,
      headers: { 'content-type': 'application/json', ...headers, ...changes.headers },
      payload: changes.tamper === true ? `${body} ` : body,
    });
    return { status: answer.statusCode, headers: answer.headers };
  };
  const send: TestInbox['send'] = async (message, changes) => (await deliver(message, changes)).status;

  async function push(): Promise<PushedRequest> {
    const request = makeRequest();
    const status = await send(request.message);
    if (status !== 204) throw new Error(`The webhook was answered ${status}`);
    return request;
  }

  return { ...engine, dispatch, provider, send, deliver, push };
}

export function makeRequest(): PushedRequest {
  const requestGuid = newGuid();
  const token = randomBytes(32).toString('base64url');
  const url = 'http://dispatch.test/api/v1';
  const data = {
    request_guid: requestGuid,
    receipt_token: token,
    respond_url: `${url}/ServiceRequest/receipt/${token}/respond`,
    status_url: `${url}/requests/${requestGuid}/status`,
    bundle: makeBundle(),
  };
  return { requestGuid, token, message: { type: 'request.dispatched', data } };
}

function makeBundle(): object {
  const item = [{ linkId: '1', type: 'string', text: 'How is the breath?', maxLength: 20 }];
  const form = { resourceType: 'Questionnaire', id: 'form-1', url: FORM_URL, status: 'active', title: 'Breath', item };
  const carePlan = {
    resourceType: 'CarePlan',
    id: 'careplan',
    status: 'active',
    intent: 'plan',
    title: 'Heart failure',
    subject: { reference: `Patient/${PATIENT}` },
  };
  const requester = {
    resourceType: 'PractitionerRole',
    id: 'requester',
    practitioner: { display: 'Karin Lind' },
    organization: { reference: `Organization/${ORGANISATION}`, display: 'Vårdcentralen Linden' },
    contact: [{ telecom: [{ system: 'phone', value: '040-123' }] }],
  };
  const serviceRequest = {
    resourceType: 'ServiceRequest',
    id: newGuid(),
    contained: [carePlan, form, requester],
    basedOn: [{ reference: '#careplan' }],
    status: 'active',
    intent: 'order',
    subject: { reference: `Patient/${PATIENT}` },
    occurrencePeriod: { end: '2026-04-01T00:00:00Z' },
    supportingInfo: ['#form-1', '#requester'].map((reference) => ({ reference: { reference } })),
    quantityQuantity: { value: 1.5 },
  };
  const patient = {
    resourceType: 'Patient',
    id: PATIENT,
    name: [{ family: 'Berg', given: ['Maj', 'Lis'] }],
    gender: 'female',
    birthDate: '1950-02-03',
    managingOrganization: { reference: `Organization/${ORGANISATION}` },
  };
  const binary = {
    resourceType: 'Binary',
    id: newGuid(),
    contentType: 'application/json',
    data: Buffer.from(JSON.stringify({ title: 'Breath', items: [] })).toString('base64'),
  };
  const entry = [serviceRequest, patient, binary].map((resource) => ({ fullUrl: `urn:uuid:${resource.id}`, resource }));
  return { resourceType: 'Bundle', type: 'collection', entry };
}
