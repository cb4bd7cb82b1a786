// Access rules of the engine's FHIR addresses (decisions G7, G12, E8). The test calls every address of its OpenAPI
// document and every interaction of the CapabilityStatement. It does so with every kind of caller and with every kind
// of expired or revoked credentials. Whose records a caller sees is tested by test/engine/hidden-records.test.ts.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { loadSearchParameters } from '#fhir/search/parameters/definitions.ts';
import { principalOfKey } from '#lib/auth/api-key-principal.ts';
import { HOUR_MS } from '#lib/clock.ts';
import { PATIENT } from '#test/support/engine/engine.ts';
import { startEngineWithIdentity } from '#test/support/engine/engine-with-identity.ts';
import {
  callersFor,
  KIND_OF,
  type Kind,
  type Right,
  rightOf,
  type TypeAddress,
} from '#test/support/fhir/fhir-rights.ts';
import { makePrincipal, makeProxy } from '#test/support/http-app.ts';
import { makeProfessional, PASSWORD } from '#test/support/identity/identity-people.ts';

const UNKNOWN = '01900000-0000-7000-8000-00000000ffff';
const keyOf = (scopes: readonly string[], providerGuid?: string) =>
  principalOfKey({ keyGuid: '01900000-0000-7000-8000-0000000000c1', scopes, providerGuid });
const planner = { organisationGuids: [UNKNOWN], phases: new Set(['planning']) };

const { identity, engine, clock, follow } = await startEngineWithIdentity(
  { after },
  {
    callers: {
      analyst: makePrincipal(['professional', 'clinician'], { ...planner, phases: new Set(['analysis']) }),
      newcomer: makePrincipal(['professional', 'clinician'], { ...planner, mustChangePassword: true }),
      unguarded: makePrincipal(['professional', 'clinician'], { ...planner, mustSetUpSecondFactor: true }),
      readingProxy: makeProxy(PATIENT, 'read'),
      actingProxy: makeProxy(PATIENT, 'act'),
      key: keyOf(['system/*.cruds']),
      ofOneType: keyOf(['system/Substance.cruds']),
      providerKey: keyOf([], UNKNOWN),
      providerUser: makePrincipal(['provider'], { kind: 'engine_user', providerGuid: UNKNOWN }),
      ...Object.fromEntries([...'cruds'].map((letter) => [`key.${letter}`, keyOf([`system/*.${letter}`])])),
    },
  },
);
const { call, app } = engine;

/** A user of the engine with this role, signed in. */
async function signUp(role: string): Promise<{ readonly guid: string; readonly token: string }> {
  const email = `${role}-${clock.now()}@example.net`;
  const password = 'correct horse battery';
  const { body } = await call(undefined, 'POST', '/auth/register', { email, password, name: 'Kim Berg' });
  await call('admin', 'PUT', `/users/${body.user_guid}`, { email, name: 'Kim Berg', role, status: 'active' });
  const login = await call(undefined, 'POST', '/auth/login', { email, password });
  return { guid: body.user_guid, token: String(login.body.token) };
}

async function signIn(): Promise<string> {
  const { email } = await makeProfessional(identity, ['planning']);
  return (await call(undefined, 'POST', '/auth/login', { email, password: PASSWORD })).body.token;
}

async function makeKey(more: object = {}): Promise<{ readonly guid: string; readonly key: string }> {
  const { body } = await call('admin', 'POST', '/api-keys', { name: 'K', scopes: ['system/*.cruds'], ...more });
  return { guid: body.key_guid, key: body.key };
}

/** Credentials that once opened everything here, and do no more. */
async function endedCredentials(): Promise<Record<string, string>> {
  const expiredToken = (await signUp('clinician')).token;
  const expiredSession = await signIn();
  const expiredKey = (await makeKey({ expires_at: new Date(clock.now() + HOUR_MS / 2).toISOString() })).key;
  clock.advance(2 * HOUR_MS);
  const [ended, deleted, revoked, session] = [
    await signUp('clinician'),
    await signUp('reader'),
    await makeKey(),
    await signIn(),
  ];
  for (const token of [ended.token, session]) assert.equal((await call(token, 'GET', '/Patient')).status, 200);
  assert.equal((await call(ended.token, 'POST', '/auth/logout')).status, 204);
  assert.equal((await call(session, 'POST', '/auth/logout')).status, 204);
  assert.equal((await call('admin', 'DELETE', `/users/${deleted.guid}`)).status, 204);
  assert.equal((await call('admin', 'DELETE', `/api-keys/${revoked.guid}`)).status, 204);
  await follow();
  const ofEngine = { expiredToken, endedToken: ended.token, tokenOfNobody: deleted.token };
  return {
    ...ofEngine,
    expiredSession,
    endedSession: session,
    expiredKey,
    revokedKey: revoked.key,
    unknownToken: 'nobody',
  };
}

const ENDED = await endedCredentials();
const OBSERVED: readonly Kind[] = ['observed', 'reported'];
const RECORDS = ['record', 'observed', 'reported'] as const;
const READABLE = ['definition', 'plan', ...RECORDS] as const;
const ALL = [...READABLE, 'audit'] as const;

interface Permissions {
  readonly as: string;
  readonly read: readonly Kind[];
  readonly write: readonly Kind[];
  /** All that a role may; of a key, letters of a scope. */
  readonly scopes?: string;
  readonly type?: string;
  readonly operate?: false;
  /** Of these addresses alone. */
  readonly only?: RegExp;
  /** Without these addresses. */
  readonly except?: RegExp;
}

const ASKED_BY_DISPATCH =
  /^(?:GET \/\w+|POST \/\w+\/_search|GET \/Questionnaire\/[\da-f-]{36}|(?:GET|POST) \/ValueSet\/\$expand)$/;

/** What changes parts of a resource. */
const WHOLE_ONLY = /^PATCH |\/\$meta-/;

const MAY: Readonly<Record<string, Permissions>> = {
  suAdmin: { as: 'admin', read: ALL, write: ALL },
  planner: { as: 'planner', read: READABLE, write: ALL },
  analyst: { as: 'analyst', read: READABLE, write: [...OBSERVED, 'audit'] },
  idle: { as: 'idle', read: READABLE.filter((kind) => !OBSERVED.includes(kind)), write: ['audit'] },
  clinician: { as: (await signUp('clinician')).token, read: READABLE, write: ALL },
  reader: { as: (await signUp('reader')).token, read: READABLE, write: [] },
  patient: { as: 'patient', read: [...RECORDS, 'audit'], write: ['reported'] },
  /** A patient's proxies, by the header Kedja-Patient. */
  readingProxy: { as: 'readingProxy', read: [...RECORDS, 'audit'], write: [] },
  actingProxy: { as: 'actingProxy', read: [...RECORDS, 'audit'], write: ['reported'] },
  /**
   * Dispatch looks for plans and forms, reads a form, and expands the codes that a form may be answered with
   * (docs/adr/0044).
   */
  service: { as: 'service', read: ['plan'], write: [], operate: false, only: ASKED_BY_DISPATCH },
  key: { as: 'key', read: READABLE, write: ALL },
  ...Object.fromEntries(
    [...'cruds'].map((letter) => [
      `key.${letter}`,
      { as: `key.${letter}`, read: READABLE, write: ALL, scopes: letter },
    ]),
  ),
  ofOneType: { as: 'ofOneType', read: READABLE, write: ALL, type: 'Substance' },
  /** Creates reports about requests, and corrects its own as a whole. */
  providerKey: { as: 'providerKey', read: [], write: ['reported'], scopes: 'cu', except: WHOLE_ONLY },
  providerUser: { as: 'providerUser', read: [], write: ['reported'], scopes: 'cu', except: WHOLE_ONLY },
  newcomer: { as: 'newcomer', read: [], write: [], operate: false },
  unguarded: { as: 'unguarded', read: [], write: [], operate: false },
};

function isAllowed(
  { read, write, scopes = 'cruds', type: only, operate }: Permissions,
  type: string,
  right: Right,
): boolean {
  const kind = KIND_OF.get(type);
  if (kind === undefined) return false;
  if (right.permission === 'operate') return operate !== false;
  const isScoped = right.scope === undefined || scopes.includes(right.scope);
  return isScoped && (only ?? type) === type && (right.permission === 'read' ? read : write).includes(kind);
}

const { paths } = (await app.inject('/openapi.json')).json() as { paths: Record<string, object> };
const ADDRESSES: readonly TypeAddress[] = Object.entries(paths).flatMap(([path, methods]) => {
  const [, type = '', rest = ''] = /^\/api\/v1\/([A-Z]\w+)(\/.*)?$/.exec(path) ?? [];
  if (type === '') return [];
  return Object.keys(methods).map((method) => ({ method: method.toUpperCase(), type, rest }));
});
/** What a compartment shows of each type is decided by that type. */
const EXPANDED = ADDRESSES.flatMap((address): TypeAddress[] => {
  if (!address.rest.startsWith('/{id}/{type}')) return [address];
  const inside = address.type === 'Patient' ? [...KIND_OF.keys()] : ['Observation'];
  return inside.map((type) => ({ ...address, rest: address.rest.replace('{type}', type) }));
});
/** Of the whole system: every caller who may use FHIR. */
const SYSTEM = [
  'GET /',
  'POST /',
  'POST /_search',
  'GET /_history',
  'POST /$batch',
  'POST /$transaction',
  'POST /$validate',
];

/** Of the whole system: those who may read CodeSystems. */
const CLOSURE = 'POST /$closure';

const IN_COMPARTMENT = /^\/\{id\}\/([A-Z]\w+)(\/_search)?$/;

const parameters = loadSearchParameters('');
/** A Patient is in the own compartment; of others there is no address. */
const liesIn = (compartment: string, type: string) => parameters.compartmentParameters(compartment, type).length > 0;

interface AccessCheck {
  /** Empty for an address of the whole system. */
  readonly type: string;
  readonly method: string;
  readonly path: string;
  readonly needs: readonly (readonly [type: string, right: Right])[];
}

function accessCheckOf(address: TypeAddress): AccessCheck | undefined {
  const { method, type, rest } = address;
  const path = `/${type}${rest.replaceAll(/\{\w+\}/g, UNKNOWN)}`;
  const operate = [type, { permission: 'operate' }] as const;
  const inside = IN_COMPARTMENT.exec(rest)?.[1];
  if (inside !== undefined && !liesIn(type, inside)) return { type, method, path, needs: [operate] };
  if (inside !== undefined)
    return { type, method, path, needs: [operate, [inside, { permission: 'read', scope: 's' }]] };
  const right = rightOf(address);
  if (right === undefined) return undefined;
  // What is stored is read before anything is done with it.
  if (method === 'GET' && /^\/\{id\}\/\$(validate|snapshot)$/.test(rest))
    return { type, method, path, needs: [operate, [type, { permission: 'read', scope: 'r' }]] };
  // A condition is a search.
  const searched = [type, { permission: 'read', scope: 's' }] as const;
  return {
    type,
    method,
    path,
    needs: method === 'DELETE' && rest === '' ? [[type, right], searched] : [[type, right]],
  };
}

const FORM = 'application/x-www-form-urlencoded';

async function statusOf(
  { method, path }: Pick<AccessCheck, 'method' | 'path'>,
  credentials: string | undefined,
): Promise<number> {
  const isForm = path.endsWith('/_search');
  const given = method === 'GET' || method === 'DELETE' ? {} : { payload: isForm ? '_count=1' : '{}' };
  const key = credentials?.startsWith('kedja_') === true ? { 'x-api-key': credentials } : undefined;
  const answer = await app.inject({
    method: method as 'GET',
    url: `/api/v1${path}${method === 'GET' && !path.includes('$') ? '?_count=1' : ''}`,
    headers: {
      ...(credentials === undefined ? {} : (key ?? { authorization: `Bearer ${credentials}` })),
      ...(given.payload === undefined ? {} : { 'content-type': isForm ? FORM : 'application/fhir+json' }),
    },
    ...given,
  });
  return answer.statusCode;
}

/** So many addresses are asked at a time, each by all callers. */
const AT_A_TIME = 4;

async function forEach<T>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<readonly string[]>,
): Promise<string[]> {
  const wrong: string[] = [];
  const waiting = items.entries();
  const worker = async () => {
    for (const [index, item] of waiting) wrong.push(...(await work(item, index)));
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  return wrong;
}

test('every type, and every kind of address, is one that the tables know, and each interaction of the statement has its address', async () => {
  const types = new Set(ADDRESSES.map(({ type }) => type));
  assert.deepEqual([...types].sort(), [...KIND_OF.keys()].sort());
  const unknown = EXPANDED.filter((address) => !isBulk(address) && accessCheckOf(address) === undefined);
  assert.deepEqual(unknown, []);
  const { body } = await call(undefined, 'GET', '/metadata');
  const [{ resource: stated }] = body.rest;
  const HOW: Readonly<Record<string, string>> = {
    read: 'GET /{id}',
    vread: 'GET /{id}/_history/{version}',
    create: 'POST ',
    update: 'PUT /{id}',
    patch: 'PATCH /{id}',
    delete: 'DELETE /{id}',
    'history-instance': 'GET /{id}/_history',
    'history-type': 'GET /_history',
    'search-type': 'GET ',
  };
  const served = new Set(ADDRESSES.map(({ method, type, rest }) => `${type} ${method} ${rest}`));
  for (const { type, interaction } of stated)
    for (const { code } of interaction) assert.ok(served.has(`${type} ${HOW[code]}`), `${type} ${code}`);
});

/** `$export`: test/engine/hidden-records.test.ts and services/engine/fhir/access-matrix.test.ts. */
function isBulk({ rest }: TypeAddress): boolean {
  return rest.endsWith('/$export');
}

test('every address of every type is for whom the tables say', async () => {
  const asked = EXPANDED.flatMap((address) => accessCheckOf(address) ?? []);
  assert.ok(asked.length > 3000, String(asked.length));
  const wrong = await forEach(asked, async (each, index) => {
    const found = await Promise.all(
      callersFor(Object.entries(MAY), each.type, index).map(async ([caller, may]) => {
        const status = await statusOf(each, may.as);
        const address = `${each.method} ${each.path}`;
        const isAmong = (may.only?.test(address) ?? true) && may.except?.test(address) !== true;
        const expected = isAmong && each.needs.every(([type, right]) => isAllowed(may, type, right));
        const isIn = status !== 401 && status !== 403;
        return isIn === expected && status < 500 && status !== 401
          ? []
          : [`${caller}: ${each.method} ${each.path} ${status}`];
      }),
    );
    return found.flat();
  });
  assert.deepEqual(wrong.slice(0, 40), []);
});

test('none of it is answered without credentials, or with such as hold no more', async () => {
  const asked = EXPANDED.flatMap((address) => accessCheckOf(address) ?? []);
  const system = [...SYSTEM, CLOSURE].map((address): AccessCheck => {
    const [method = '', path = ''] = address.split(' ');
    return { type: '', method, path, needs: [] };
  });
  const wrong = await forEach([...asked, ...system], async (each) => {
    const credentials = [['none', undefined], ...Object.entries(ENDED)] as const;
    const found = await Promise.all(
      credentials.map(async ([name, value]) => {
        const status = await statusOf(each, value);
        return status === 401 ? [] : [`${name}: ${each.method} ${each.path} ${status}`];
      }),
    );
    return found.flat();
  });
  assert.deepEqual(wrong.slice(0, 40), []);
});

test('what is of the whole system is for those who have a part in FHIR', async () => {
  for (const address of SYSTEM) {
    const [method = '', path = ''] = address.split(' ');
    for (const [caller, may] of Object.entries(MAY)) {
      const status = await statusOf({ method, path }, may.as);
      const isSearch = /^(GET \/|POST \/_search)$/.test(address);
      const hasTypes = may.read.length > 0 && (may.scopes ?? 's').includes('s');
      assert.equal(status !== 403, may.operate !== false && (hasTypes || !isSearch), `${caller}: ${address} ${status}`);
      assert.ok(status < 500 && status !== 401, `${caller}: ${address} ${status}`);
    }
  }
});

test('closure tables are for those who may read code systems', async () => {
  const right: Right = { permission: 'read', scope: 'r' };
  for (const [caller, may] of Object.entries(MAY)) {
    const status = await statusOf({ method: 'POST', path: '/$closure' }, may.as);
    const isAmong = may.only === undefined && isAllowed(may, 'CodeSystem', right);
    assert.equal(status !== 403, isAmong, `${caller}: ${status}`);
    assert.ok(status < 500 && status !== 401, `${caller}: ${status}`);
  }
});
