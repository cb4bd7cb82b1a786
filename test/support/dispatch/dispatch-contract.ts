// Black-box calls to dispatch below /api/v1. They check the status and the form of each response by the contract and
// decisions G2, G3 and G5. They validate every FHIR resource in it.
import assert from 'node:assert/strict';
import type { Principal } from '#lib/auth/principal.ts';
import { wireFormOf } from '#services/dispatch/plugin.ts';
import { makeActive, makeDraft } from '#services/dispatch/testing/samples.ts';
import { type Answer, assertValid, makeSite, ORGANISATION, type Site } from '#services/dispatch/testing/site.ts';
import { type ContractCalls, contractCalls } from '../contract-calls.ts';
import type { Hooks } from '../hooks.ts';
import { makePrincipal, makeProxy } from '../http-app.ts';

export const UNKNOWN = '01900000-0000-7000-8000-00000000ffff';
/** An instant in UTC (decision G11). */
export const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
export const TOKEN = /^[\w-]{43}$/;
/** The provider of `CALLERS.provider`. */
export const PROVIDER = 'provider-1';

export interface DispatchCall {
  /** A caller of the site; `anna`, who plans, when left out. */
  readonly as?: string;
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One request that was sent to one provider. */
export interface PushedRequest {
  readonly id: string;
  readonly match: string;
  readonly request: string;
  readonly token: string;
}

export interface DispatchContract extends Site, ContractCalls<DispatchCall, Answer> {
  /** Sends `METHOD /path`. FHIR in the response must be valid R5. */
  ask(address: string, call?: DispatchCall): Promise<Answer>;
  /** Expects a FHIR resource of the type. */
  expectFhir(address: string, call: DispatchCall, status: number, resourceType: string): Promise<Answer>;
  /**
   * Expects an error in the form of the address: an OperationOutcome, or exactly two fields, or three with `messages`.
   */
  refuse(address: string, call: DispatchCall, status: number, code: string): Promise<Answer>;
  draft(): Promise<string>;
  active(): Promise<string>;
  /** Active, with one pending match. */
  matched(): Promise<{ readonly id: string; readonly match: string }>;
  /** Pushed to {@link PROVIDER}, who reads the feed. */
  pushed(body?: object): Promise<PushedRequest>;
  /** The provider's answer to a request, by its receipt token alone. */
  respond(token: string, decision: string): Promise<Answer>;
}

const ownId = (number: number) => `01900000-0000-7000-8000-00000000c00${number}`;

function staffOf(id: string, providerGuid: string): Principal {
  const organisationGuid = ownId(9);
  return makePrincipal(['professional', 'clinician', 'provider'], {
    id,
    name: 'Sara Ek',
    organisationGuids: [organisationGuid],
    phases: new Set(['execution']),
    staffOf: [{ organisationGuid, providerGuid }],
  });
}

/** Callers beside the site's own: one of every kind. */
export const MORE_CALLERS: Readonly<Record<string, Principal>> = {
  idle: makePrincipal(['professional', 'clinician'], { organisationGuids: [ORGANISATION] }),
  engineClinician: makePrincipal(['clinician'], { kind: 'engine_user', organisationGuids: [ORGANISATION] }),
  engineReader: makePrincipal(['reader'], { kind: 'engine_user', organisationGuids: [ORGANISATION] }),
  providerUser: makePrincipal(['provider'], { kind: 'engine_user', providerGuid: PROVIDER }),
  otherProvider: makePrincipal(['provider'], { id: ownId(1), kind: 'api_key', providerGuid: 'provider-2' }),
  // Staff of the two providers: professionals in the phase execution, of the providers' organisations.
  staff: staffOf(ownId(4), PROVIDER),
  otherStaff: staffOf(ownId(5), 'provider-2'),
  // By the header Kedja-Patient, for the patient p1.
  readingProxy: makeProxy('p1', 'read'),
  actingProxy: makeProxy('p1', 'act'),
  otherPatient: makePrincipal(['patient'], { id: ownId(2), patientGuid: 'p2' }),
  fullKey: makePrincipal(['api_key'], { id: ownId(3), kind: 'api_key', scopes: ['system/*.cruds'] }),
};

export async function startDispatchContract(hooks: Hooks): Promise<DispatchContract> {
  const site = await makeSite(hooks, MORE_CALLERS);
  site.world.contracts = [{ contract_guid: 'contract-1', provider_guid: PROVIDER, provider_name: 'Hemvården' }];
  const asking = makeAsking(site);
  return { ...site, ...asking, ...makeRequests(site, asking) };
}

type Asking = Pick<DispatchContract, 'ask' | 'expect' | 'expectFhir' | 'refuse' | 'expectPage'>;

function makeAsking(site: Site): Asking {
  const ask: Asking['ask'] = async (address, call = {}) => {
    const [method = '', path = ''] = address.split(' ');
    const answer = await site.call(method as 'GET', `/api/v1${path}`, call);
    if (String(answer.headers['content-type']).startsWith('application/fhir+json')) assertValid(answer.body);
    return answer;
  };
  const plain = contractCalls<DispatchCall, Answer>(ask);
  return {
    ...plain,
    ask,
    async expectFhir(address, call, status, resourceType) {
      const answer = await ask(address, call);
      assert.deepEqual([answer.status, answer.body['resourceType']], [status, resourceType], answer.text);
      assert.match(String(answer.headers['content-type']), /^application\/fhir\+json/);
      return answer;
    },
    async refuse(address, call, status, code) {
      const path = `/api/v1${address.split(' ')[1]?.split('?')[0] ?? ''}`;
      if (wireFormOf(path) === 'plain') return plain.refuse(address, call, status, code);
      const answer = await ask(address, call);
      assert.equal(answer.status, status, `${address}: ${answer.text}`);
      assertOutcome(answer, code);
      return answer;
    },
  };
}

function assertOutcome({ body, headers, text }: Answer, code: string): void {
  assert.equal(body['resourceType'], 'OperationOutcome', text);
  assert.match(String(headers['content-type']), /^application\/fhir\+json/);
  const issues = body['issue'] as { severity: string; details: { coding: { code: string }[]; text?: string } }[];
  assert.ok(issues.length > 0, text);
  for (const { severity, details } of issues.filter((issue) => issue.severity !== 'warning')) {
    assert.deepEqual([severity, details.coding[0]?.code], ['error', code], text);
    assert.ok(details.text, text);
  }
}

function makeRequests(site: Site, { ask, expect }: Asking) {
  const matched = async () => {
    const id = await makeActive(site);
    const { body } = await ask(`POST /ServiceRequest/${id}/match`);
    const [match] = body['matches'] as { match_guid: string }[];
    return { id, match: String(match?.match_guid) };
  };
  return {
    draft: () => makeDraft(site),
    active: () => makeActive(site),
    matched,
    async pushed(body: object = {}): Promise<PushedRequest> {
      const { id, match } = await matched();
      await consentOf(ask);
      const pushed = (await ask(`POST /ServiceRequest/${id}/push`, { body })).body['pushed'];
      const request = String((pushed as { request_guid: string }[])[0]?.request_guid);
      const token = await tokenOf(ask, request);
      return { id, match, request, token };
    },
    respond: (token: string, decision: string) =>
      ask(`POST /ServiceRequest/receipt/${token}/respond`, { as: 'nobody', body: { decision } }),
    expect,
  };
}

/** The consent of the patient permits. */
async function consentOf(ask: Asking['ask']): Promise<void> {
  const subject = { reference: 'Patient/p1' };
  const body = { resourceType: 'Consent', id: 'consent-1', status: 'active', subject, decision: 'permit' };
  const { status, text } = await ask('PUT /Consent/consent-1', { body });
  assert.ok(status === 200 || status === 201, text);
}

/** The receipt token of a request, which its provider reads in the feed. */
async function tokenOf(ask: Asking['ask'], request: string): Promise<string> {
  for (let cursor = ''; ; ) {
    const query = `provider_guid=${PROVIDER}&limit=200${cursor}`;
    const { body, text } = await ask(`GET /requests?${query}`, { as: 'provider' });
    const requests = body['requests'] as { request_guid: string; receipt_token: string }[];
    const found = requests.find(({ request_guid: guid }) => guid === request);
    if (found !== undefined) return found.receipt_token;
    assert.equal(body['has_more'], true, text);
    cursor = `&cursor=${encodeURIComponent(String(body['next_cursor']))}`;
  }
}
