// An access check says what requests then do (docs/adr/0105): for every caller, record and act the explanation is
// compared with a request of that caller. Who asks sees no content, and nothing of what is hidden from them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { principalOfKey } from '#lib/auth/api-key-principal.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { CALLERS, ORGANISATION, OTHER_ORGANISATION, PATIENT, startTestEngine } from '#test/support/engine/engine.ts';
import { makePrincipal } from '#test/support/http-app.ts';

const guid = (end: string) => `01900000-0000-7000-8000-0000000${end}`;
const SECOND = guid('000b2');
const PROTECTED = guid('000b3');
const PROVIDER = guid('000c1');
const key = (end: string, ...scopes: string[]) => principalOfKey({ keyGuid: guid(end), scopes });
const planning = new Set(['planning', 'analysis']);

const callers: Record<string, Principal> = {
  admin: { ...CALLERS['admin']!, organisationGuids: [ORGANISATION] },
  outsideAdmin: makePrincipal(['professional', 'clinician', 'admin'], {
    id: guid('0a002'),
    organisationGuids: [OTHER_ORGANISATION],
  }),
  planner: makePrincipal(['professional', 'clinician'], {
    id: guid('0a003'),
    organisationGuids: [ORGANISATION],
    phases: planning,
  }),
  stranger: makePrincipal(['professional', 'clinician'], {
    id: guid('0a004'),
    organisationGuids: [OTHER_ORGANISATION],
    phases: planning,
  }),
  idle: makePrincipal(['professional', 'clinician'], { id: guid('0a005'), organisationGuids: [ORGANISATION] }),
  homeless: makePrincipal(['professional', 'clinician'], { id: guid('0a006'), phases: planning }),
  newcomer: makePrincipal(['professional', 'clinician'], {
    id: guid('0a007'),
    organisationGuids: [ORGANISATION],
    phases: planning,
    mustChangePassword: true,
  }),
  staff: makePrincipal(['professional', 'clinician', 'provider'], {
    id: guid('0a008'),
    organisationGuids: [OTHER_ORGANISATION],
    phases: new Set(['execution']),
    staffOf: [{ organisationGuid: OTHER_ORGANISATION, providerGuid: PROVIDER }],
  }),
  patient: makePrincipal(['patient'], { id: guid('0a009'), patientGuid: PATIENT }),
  second: makePrincipal(['patient'], {
    id: guid('0a00a'),
    patientGuid: SECOND,
    proxyFor: [{ patientGuid: PATIENT, may: 'read' }],
  }),
  wide: key('0b001', 'system/*.cruds'),
  narrow: key('0b002', 'system/Observation.rs'),
};
const byGuid = new Map(Object.values(callers).map((principal) => [principal.id, principal]));
const { app, call, database } = await startTestEngine({ after }, { callers, readAccess: async (id) => byGuid.get(id) });

const about = (id: string) => ({ subject: { reference: `Patient/${id}` } });
const observed = { resourceType: 'Observation', status: 'final', code: { text: 'SECRETCODE' } };
const RECORDS: readonly { readonly by: string; readonly resource: Record<string, unknown> & { id: string } }[] = [
  { by: 'planner', resource: { resourceType: 'Patient', id: PATIENT, name: [{ family: 'SECRETNAME' }] } },
  { by: 'stranger', resource: { resourceType: 'Patient', id: SECOND, name: [{ family: 'SECRETNAME' }] } },
  {
    by: 'planner',
    resource: {
      resourceType: 'Patient',
      id: PROTECTED,
      meta: { security: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-Confidentiality', code: 'R' }] },
    },
  },
  { by: 'planner', resource: { ...observed, id: 'one', ...about(PATIENT) } },
  { by: 'stranger', resource: { ...observed, id: 'two', ...about(SECOND) } },
  { by: 'wide', resource: { ...observed, id: 'of-key', ...about(PATIENT) } },
  { by: 'planner', resource: { resourceType: 'Questionnaire', id: 'form', status: 'draft' } },
];
const ADDRESSES: string[] = [];

before(async () => {
  for (const { by, resource } of RECORDS) {
    const address = `${resource['resourceType']}/${resource.id}`;
    const { status, text } = await call(by, 'PUT', `/${address}`, resource);
    assert.equal(status, 201, text);
    ADDRESSES.push(address);
  }
  const reported = await call('patient', 'POST', '/Observation', observed);
  assert.equal(reported.status, 201, reported.text);
  ADDRESSES.push(`Observation/${reported.body.id}`);
});

const callerOf = ({ kind, id }: Principal) => ({ kind: kind === 'api_key' ? 'api_key' : 'user', guid: id });
const check = (caller: object, address: string, as = 'admin') => {
  const [resource_type, id] = address.split('/');
  return call(as, 'POST', '/access-checks', { caller, resource_type, id });
};

interface Act {
  readonly act: string;
  readonly resource_type: string;
  readonly allowed: boolean;
  readonly acting_for?: string;
  readonly rules: readonly { readonly permits: boolean; readonly reason: string; readonly rule: string }[];
}

/** Whether the request of the act is carried out. */
async function isDone(as: string, address: string, { act, acting_for: patient }: Act): Promise<boolean> {
  const [type] = address.split('/');
  const statusOf = async (method: 'GET' | 'PUT', path: string, payload?: object) => {
    const headers = { authorization: `Bearer ${as}`, ...(patient === undefined ? {} : { 'kedja-patient': patient }) };
    const request = { method, url: `/api/v1${path}`, headers, ...(payload === undefined ? {} : { payload }) };
    return (await app.inject(request)).statusCode;
  };
  switch (act) {
    case 'read':
      return (await statusOf('GET', `/${address}`)) === 200;
    case 'history-instance':
      return (await statusOf('GET', `/${address}/_history`)) === 200;
    case 'search-type':
      return (await statusOf('GET', `/${type}?_count=1`)) === 200;
    case 'update': {
      const { body } = await call('admin', 'GET', `/${address}`);
      return (await statusOf('PUT', `/${address}`, body)) === 200;
    }
    default:
      throw new Error(`No request is known for ${act}`);
  }
}

test('for every caller and record the check says what a request then does, and why not', async () => {
  let compared = 0;
  let byProxy = 0;
  for (const [name, principal] of Object.entries(callers)) {
    for (const address of ADDRESSES) {
      const { status, body, text } = await check(callerOf(principal), address);
      assert.equal(status, 200, text);
      assert.doesNotMatch(text, /SECRET/, 'no content');
      const [type] = address.split('/');
      for (const each of body.acts as Act[]) {
        const { act, resource_type, allowed, rules } = each;
        if (resource_type !== type || act === 'delete') continue;
        assert.equal(await isDone(name, address, each), allowed, `${name} ${act} ${address}: ${JSON.stringify(rules)}`);
        assert.equal(rules.at(-1)?.permits, allowed, 'the last rule decides');
        compared += 1;
        if (each.acting_for !== undefined) byProxy += 1;
      }
    }
  }
  assert.ok(compared > 300, String(compared));
  assert.ok(byProxy > 10, `${byProxy} as a proxy`);
});

test('a refusal names its rule', async () => {
  const reasonOf = async (caller: Principal, address: string, act: string) => {
    const { body } = await check(callerOf(caller), address);
    const found = (body.acts as Act[]).find((each) => each.act === act);
    return found?.rules.at(-1)?.reason;
  };
  const { planner, stranger, idle, homeless, newcomer, patient, second, narrow, outsideAdmin } = callers;
  const own = ADDRESSES.at(-1) ?? '';
  const expected: readonly (readonly [Principal | undefined, string, string, string])[] = [
    [stranger, `Patient/${PATIENT}`, 'read', 'other_organisation'],
    [planner, `Patient/${PATIENT}`, 'read', 'own_organisation'],
    [idle, 'Observation/one', 'read', 'phase_missing'],
    [homeless, 'Observation/one', 'read', 'other_organisation'],
    [homeless, 'Observation/one', 'update', 'report_refused'],
    [newcomer, 'Observation/one', 'read', 'password_change_required'],
    [patient, 'Observation/one', 'read', 'own_record'],
    [patient, 'Observation/two', 'read', 'not_own_record'],
    [patient, 'Questionnaire/form', 'read', 'role_missing'],
    [second, 'Observation/two', 'read', 'own_record'],
    [narrow, `Patient/${PATIENT}`, 'read', 'scope_missing'],
    [stranger, 'Questionnaire/form', 'update', 'owner_only'],
    [planner, own, 'update', 'report_kept'],
    [outsideAdmin, `Patient/${PROTECTED}`, 'read', 'protected_identity'],
  ];
  for (const [caller, address, act, reason] of expected) {
    assert.ok(caller);
    assert.equal(await reasonOf(caller, address, act), reason, `${caller.id} ${act} ${address}`);
  }
});

test('a proxy is asked about as a proxy, and nobody else', async () => {
  const proxy = { ...callerOf(callers['second'] ?? assert.fail()), acting_for: PATIENT };
  const readOf = (body: { acts: Act[] }) => body.acts.find(({ act }) => act === 'read');
  const both = (await check(callerOf(callers['second'] ?? assert.fail()), 'Observation/one')).body.acts as Act[];
  const reads = both.filter(({ act }) => act === 'read').map(({ acting_for, allowed }) => [acting_for, allowed]);
  assert.deepEqual(
    reads,
    [
      [undefined, false],
      [PATIENT, true],
    ],
    'as themself, and then as the proxy',
  );
  const seen = await check(proxy, 'Observation/one');
  assert.deepEqual([readOf(seen.body)?.allowed, seen.body.caller.acting_for], [true, PATIENT]);
  const own = await check(proxy, 'Observation/two');
  assert.equal(readOf(own.body)?.allowed, false, 'a proxy sees nothing of their own');
  const other = await check({ ...proxy, acting_for: SECOND.replace('b2', 'b9') }, 'Observation/one');
  assert.equal(readOf(other.body)?.rules.at(-1)?.reason, 'not_a_proxy');
});

test('a provider by itself, and somebody without any rights here, are refused in words', async () => {
  const provider = await check({ kind: 'provider', guid: PROVIDER }, 'Observation/one');
  assert.ok((provider.body.acts as Act[]).every(({ allowed }) => !allowed));
  assert.deepEqual(provider.body.caller.provider_guids, [PROVIDER]);
  for (const caller of [guid('0ffff'), 'no-guid'].flatMap((each) => [
    { kind: 'user', guid: each },
    { kind: 'api_key', guid: each },
  ])) {
    const { body, text } = await check(caller, 'Observation/one');
    assert.ok(
      (body.acts as Act[]).every(({ rules }) => rules.at(-1)?.reason === 'credentials_missing'),
      text,
    );
  }
});

test('who asks must see the record: what is hidden from them is as absent', async () => {
  const caller = callerOf(callers['planner'] ?? assert.fail());
  const hidden = await check(caller, `Patient/${PROTECTED}`, 'outsideAdmin');
  const absent = await check(caller, `Patient/${guid('0dead')}`, 'outsideAdmin');
  assert.deepEqual([hidden.status, absent.status], [404, 404]);
  assert.equal(hidden.text.replace(PROTECTED, ''), absent.text.replace(guid('0dead'), ''));
  assert.equal((await check(caller, `Patient/${PROTECTED}`)).status, 200, 'the administrator of its owner');
  assert.equal((await check(caller, 'NoType/one')).status, 404);
});

test('only administrators ask', async () => {
  const caller = callerOf(callers['planner'] ?? assert.fail());
  for (const as of ['planner', 'stranger', 'patient', 'staff', 'service', 'wide', 'narrow'])
    assert.equal((await check(caller, 'Observation/one', as)).status, 403, as);
  assert.equal((await call(undefined, 'POST', '/access-checks', {})).status, 401);
});

test('each question is audited: who asked, about whom, of whose record', async () => {
  const caller = callerOf(callers['stranger'] ?? assert.fail());
  await check(caller, 'Observation/one');
  const { rows } = await database.query<{ resource: string; subject_guid: string | null }>(
    "SELECT resource, subject_guid FROM audit_event WHERE event = 'access-check.decide' ORDER BY event_guid DESC LIMIT 1",
  );
  assert.equal(rows[0]?.subject_guid, caller.guid);
  const event = rows[0]?.resource ?? '';
  for (const part of [`Patient/${PATIENT}`, 'Observation/one', caller.guid])
    assert.ok(event.includes(part), `${part} in ${event}`);
  assert.doesNotMatch(event, /SECRET/);
});

test('a deletion is explained as it is then decided', async () => {
  for (const [name, principal] of Object.entries(callers).sort(([a]) => (a === 'admin' ? 1 : -1))) {
    for (const address of ADDRESSES) {
      const { status, body } = await check(callerOf(principal), address);
      if (status === 404) continue;
      const said = (body.acts as Act[]).find(({ act }) => act === 'delete');
      await call(name, 'DELETE', `/${address}`);
      const isGone = (await call('admin', 'GET', `/${address}`)).status === 410;
      assert.equal(isGone, said?.allowed, `${name} DELETE ${address}: ${JSON.stringify(said?.rules)}`);
    }
  }
});
