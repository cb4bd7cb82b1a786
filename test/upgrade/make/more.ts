// What the demo does not do: history, deletion, definitions, terminology, a second factor, decisions of patients,
// clients, keys, rotation of a key, a tenant, an erasure.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { call, eventually } from '#test/support/http.ts';
import { codeAt } from '#test/support/identity/totp.ts';
import { patientNamed } from '../../../demo/content/patients.ts';
import { DEMO_PASSWORD, emailOf } from '../../../demo/content/people.ts';
import { PROVIDERS } from '../../../demo/content/providers.ts';
import { createSignIns } from '../sign-in.ts';
import type { State } from '../state.ts';
import type { Accounts, Wanted } from './people.ts';
import type { System } from './system.ts';

interface Site {
  readonly system: System;
  readonly tokens: Readonly<Record<keyof Accounts, string>>;
  /** The patient's id at all services. */
  readonly patient: string;
}

export interface More extends Pick<State, 'apiKeys' | 'change' | 'provider' | 'erased'> {
  readonly reads: readonly Wanted[];
  readonly totp: string;
}

const ENGINE = '/engine/api/v1';
const DISPATCH = '/dispatch/api/v1';
const PROXY = 'Bengt Lövgren';
const ERASED = 'Sten Blomgren';
const CODES = 'https://kedja.example.org/CodeSystem/wards';

// biome-ignore lint/suspicious/noExplicitAny: what comes over the wire is recorded
type Body = any;
const whole = (body: Body) => body;
const total = ({ total: number }: Body) => ({ total: number });
const ids = ({ total, entry = [] }: Body) => ({
  total,
  entry: entry.map(({ resource }: Body) => ({ resource: { resourceType: resource.resourceType, id: resource.id } })),
});

export async function addMore(system: System, accounts: Accounts): Promise<More> {
  const site = await openSite(system, accounts);
  const records = await writeRecords(site);
  const definitions = await writeDefinitions(site);
  const provider = await providerOf(site);
  const decisions = await decide(site, provider);
  const { apiKeys, reads: administration } = await administer(site);
  const erased = await eraseOne(site);
  await writeTenant(site);
  await system.run('keys', 'rotate', 'engine-inbox', '--after', '0');
  const totp = await setUpSecondFactor(site, accounts);
  const at = `${ENGINE}/Patient/${site.patient}`;
  const reads: Wanted[] = [...records, ...definitions, ...decisions, ...administration, ...usual(site, provider)];
  return { reads, totp, apiKeys, provider, erased, change: { as: 'admin', at, versions: 2 } };
}

async function openSite(system: System, accounts: Accounts): Promise<Site> {
  await system.run('tenant', 'add', 'north');
  await system.run('tenant', 'admit', 'north', accounts.admin.email);
  // Nodes know a new tenant and its members after some seconds.
  const signIn = async (name: string) => {
    const signIns = createSignIns(system.gateway, { accounts, apiKeys: {} });
    return (await signIns(name).catch(() => undefined))?.token;
  };
  const signedIn = Object.keys(accounts).map(
    async (name) => [name, await eventually(`${name} signs in`, () => signIn(name), 60_000, 500)] as const,
  );
  const tokens = Object.fromEntries(await Promise.all(signedIn)) as Record<keyof Accounts, string>;
  const me = await call(`${system.identity}/api/auth/me`, { token: tokens.patient });
  return { system, tokens, patient: me.body.patient_guid };
}

/** Values, a second version, and one that is deleted. */
async function writeRecords({ system: { engine }, tokens, patient }: Site): Promise<Wanted[]> {
  const asPlanner = { token: tokens.planner };
  const subject = { reference: `Patient/${patient}` };
  const common = {
    resourceType: 'Observation',
    status: 'final',
    subject,
    effectiveDateTime: '2026-11-02T08:30:00+01:00',
  };
  const loinc = (code: string) => ({ coding: [{ system: 'http://loinc.org', code }] });
  const value = (number: number, code: string) => ({
    value: number,
    unit: code,
    system: 'http://unitsofmeasure.org',
    code,
  });
  const pressure = [
    ['8480-6', 141],
    ['8462-4', 88],
  ] as const;
  const component = pressure.map(([code, number]) => ({ code: loinc(code), valueQuantity: value(number, 'mm[Hg]') }));
  const write = (more: object) =>
    call(`${engine}/api/v1/Observation`, { ...asPlanner, json: { ...common, ...more }, expect: 201 });
  await write({ code: loinc('85354-9'), component });
  await write({ code: loinc('29463-7'), valueQuantity: value(71.5, 'kg') });
  const { body: wrong } = await write({ code: loinc('29463-7'), valueQuantity: value(715, 'kg') });
  await call(`${engine}/api/v1/Observation/${wrong.id}`, { ...asPlanner, method: 'DELETE' });
  const address = `${engine}/api/v1/Patient/${patient}`;
  const { body } = await call(address, { token: tokens.admin });
  await call(address, {
    token: tokens.admin,
    method: 'PUT',
    json: { ...body, telecom: [{ system: 'phone', value: '+46 70 123 45 67' }] },
  });
  return [
    { as: 'admin', at: `${ENGINE}/Patient/${patient}`, keep: whole },
    { as: 'admin', at: `${ENGINE}/Patient/${patient}/_history`, keep: ids },
    ...[
      'component-code-value-quantity=http://loinc.org|8480-6$gt140',
      'code=http://loinc.org|29463-7&value-quantity=gt70',
    ].map((query) => ({ as: 'admin', at: `${ENGINE}/Observation?${query}`, keep: ids })),
    { as: 'admin', at: `${ENGINE}/Patient?name=nordin&birthdate=lt1950`, keep: ids },
    { as: 'admin', at: `${ENGINE}/Observation?subject:Patient.family=Nordin`, keep: total },
    { as: 'admin', at: `${ENGINE}/Patient?_has:Observation:patient:code=http://loinc.org|85354-9`, keep: ids },
  ];
}

/** A code system of the import, a value set of it, a profile and a search parameter of one's own; a closure table. */
async function writeDefinitions({ system, tokens }: Site): Promise<Wanted[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kedja-codes-'));
  const file = path.join(folder, 'wards.csv');
  const rows = Array.from(
    { length: 40 },
    (_, index) => `w${index},Avdelning ${index},${index < 4 ? '' : `w${index % 4}`}`,
  );
  try {
    await writeFile(file, `code,display,parent\n${rows.join('\n')}\n`);
    await system.run('terminology', 'import', file, '--url', CODES, '--version', '2026');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const put = (resource: { resourceType: string; id: string; [member: string]: unknown }) =>
    call(`${system.engine}/api/v1/${resource.resourceType}/${resource.id}`, {
      token: tokens.admin,
      method: 'PUT',
      json: resource,
    });
  const compose = { include: [{ system: CODES, filter: [{ property: 'concept', op: 'is-a', value: 'w1' }] }] };
  await put({ resourceType: 'ValueSet', id: 'state-wards', url: `${CODES}/of-1`, status: 'active', compose });
  await put({
    resourceType: 'SearchParameter',
    id: 'state-weekday',
    url: 'https://kedja.example.org/SearchParameter/weekday',
    name: 'Weekday',
    status: 'active',
    description: 'The weekday of a location',
    code: 'weekday',
    base: ['Location'],
    type: 'string',
    expression: 'Location.alias',
    processingMode: 'normal',
  });
  await put({
    resourceType: 'StructureDefinition',
    id: 'state-named-location',
    url: 'https://kedja.example.org/StructureDefinition/named-location',
    name: 'NamedLocation',
    status: 'active',
    kind: 'resource',
    abstract: false,
    type: 'Location',
    baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Location',
    derivation: 'constraint',
    differential: { element: [{ id: 'Location.name', path: 'Location.name', min: 1 }] },
  });
  await put({ resourceType: 'Location', id: 'state-ward', status: 'active', name: 'Avdelning 5', alias: ['Onsdag'] });
  const closure = (parameter: object[]) =>
    call(`${system.engine}/api/v1/$closure`, { token: tokens.admin, json: { resourceType: 'Parameters', parameter } });
  const name = { name: 'name', valueString: 'wards' };
  await closure([name]);
  await closure([name, ...['w1', 'w5'].map((code) => ({ name: 'concept', valueCoding: { system: CODES, code } }))]);
  const expansion = ({ expansion: { total, contains } }: Body) => ({ expansion: { total, contains } });
  const expand = `${ENGINE}/ValueSet/$expand?url=${CODES}/of-1&count=3`;
  return [
    { as: 'admin', at: expand, keep: expansion },
    { as: 'admin', at: `${ENGINE}/CodeSystem/$subsumes?system=${CODES}&codeA=w1&codeB=w5`, keep: whole },
    { as: 'admin', at: `${ENGINE}/Location?weekday=onsdag`, keep: ids },
    { as: 'admin', at: `${ENGINE}/StructureDefinition/state-named-location`, keep: whole },
  ];
}

/** The provider of the demo with a system of its own. */
async function providerOf({ system, tokens }: Site): Promise<string> {
  const { body } = await call(`${system.engine}/api/v1/providers?per_page=200`, { token: tokens.admin });
  return body.data.find(({ name }: Body) => name === PROVIDERS.nurses.name).provider_guid;
}

/** What a patient decides: a denial for one provider, and a proxy; and what the patient and the staff ask. */
async function decide({ system, tokens, patient }: Site, provider: string): Promise<Wanted[]> {
  const own = { token: tokens.patient };
  const denial = { decision: 'deny', organisation_guid: provider };
  await call(`${system.dispatch}/api/v1/own-consents`, { ...own, json: denial, expect: 201 });
  const until = new Date(Date.now() + 300 * 86_400_000).toISOString().slice(0, 10);
  const proxies = `${system.identity}/api/patient/proxies`;
  const invited = await call(proxies, {
    ...own,
    json: { email: emailOf(patientNamed(PROXY)), may: 'act', until },
    expect: 201,
  });
  await call(`${proxies}/${invited.body.proxy_guid}/accept`, { method: 'POST', token: tokens.proxy });
  await call(`${system.dispatch}/api/v1/notifications/read-all`, { method: 'POST', token: tokens.planner });
  const settings = { digest: 'off', language: 'en' };
  await call(`${system.dispatch}/api/v1/notifications/settings`, {
    token: tokens.planner,
    method: 'PUT',
    json: settings,
  });
  return [
    { as: 'patient', at: `${DISPATCH}/own-consents`, keep: ({ total, data }: Body) => ({ total, data }) },
    { as: 'patient', at: `${DISPATCH}/Consent?patient=${patient}`, keep: ids },
    {
      as: 'patient',
      at: '/identity/api/patient/proxies',
      keep: (body: Body) => ({ given: body.given.map(({ proxy_guid, may }: Body) => ({ proxy_guid, may })) }),
    },
  ];
}

/** An application, an API key, an external server with a sealed token, and an account of the engine's own. */
async function administer({ system, tokens }: Site): Promise<{ apiKeys: State['apiKeys']; reads: Wanted[] }> {
  const asAdmin = { token: tokens.admin };
  const { identity, engine } = system;
  const client = {
    client_id: 'records',
    kind: 'application',
    name: 'The journal',
    audience: 'kedja',
    calls: ['user:read'],
    redirects: ['https://records.example.org/callback'],
  };
  await call(`${identity}/api/admin/clients`, { ...asAdmin, json: client, expect: 201 });
  const scopes = ['system/Observation.crs', 'system/Location.rs'];
  const key = await call(`${engine}/api/v1/api-keys`, {
    ...asAdmin,
    json: { name: 'Laboratory', scopes },
    expect: 201,
  });
  await call(`${engine}/api/v1/Location/state-ward`, { apiKey: key.body.key });
  const server = {
    name: 'region',
    url: 'http://127.0.0.1:9/r5',
    auth: { type: 'bearer', token: 'of-the-state' },
  };
  await call(`${engine}/api/v1/servers`, { ...asAdmin, json: server, expect: 201 });
  const kim = { email: 'kim@example.org', password: 'skogens-tysta-stigar-4', name: 'Kim Berg' };
  await call(`${engine}/api/v1/auth/register`, { json: kim, expect: 201 });
  return {
    apiKeys: { laboratory: key.body.key },
    reads: [
      { as: 'laboratory', at: `${ENGINE}/Location/state-ward`, keep: whole },
      {
        as: 'admin',
        at: '/identity/api/admin/clients/records',
        keep: ({ name, redirects, status }: Body) => ({ name, redirects, status }),
      },
      {
        as: 'admin',
        at: `${ENGINE}/servers`,
        keep: ({ data }: Body) => ({ data: data.map(({ name, url, auth }: Body) => ({ name, url, auth })) }),
      },
    ],
  };
}

/** A patient who is in the demo for nothing else. */
async function eraseOne({ system, tokens }: Site): Promise<State['erased']> {
  const person = patientNamed(ERASED);
  const login = { email: emailOf(person), password: DEMO_PASSWORD };
  const { token } = (await call(`${system.identity}/api/auth/login`, { json: login })).body;
  const { patient_guid: guid } = (await call(`${system.identity}/api/auth/me`, { token })).body;
  const decision = ['--ground', 'IVO 8.2-1/2026', '--decided-by', 'IVO', '--open-requests'];
  await system.run('erase', '--patient', person.personnummer, '--apply', '--yes', ...decision);
  const gone = [DISPATCH, ENGINE].map(async (base) => {
    const at = `${base}/Patient/${guid}`;
    const { status } = await fetch(system.gateway + at, { headers: { authorization: `Bearer ${tokens.admin}` } });
    return { as: 'admin', at, status };
  });
  return Promise.all(gone);
}

async function writeTenant({ system, tokens }: Site): Promise<void> {
  const json = { resourceType: 'Patient', id: 'northern', name: [{ family: 'Norrman' }] };
  await call(`${system.gateway}/engine/t/north/api/v1/Patient/northern`, { token: tokens.north, method: 'PUT', json });
}

/** Returns the secret of the authenticator app. */
async function setUpSecondFactor({ system, tokens }: Site, { planner }: Accounts): Promise<string> {
  const factor = `${system.identity}/api/auth/second-factor`;
  const asPlanner = { token: tokens.planner };
  const { secret } = (await call(factor, { ...asPlanner, json: { current_password: planner.password } })).body;
  // A code counts once: that of the step before leaves the present one to who signs in next.
  await call(`${factor}/confirm`, { ...asPlanner, json: { code: codeAt(secret, Date.now() - 30_000) } });
  return secret;
}

/** What people read every day. */
function usual({ patient }: Site, provider: string): Wanted[] {
  const guids =
    (key: string) =>
    ({ data }: Body) => ({ data: data.map((each: Body) => ({ [key]: each[key] })) });
  return [
    {
      as: 'admin',
      at: '/identity/api/admin/organisations',
      keep: (body: Body) => body.map(({ name }: Body) => ({ name })),
    },
    { as: 'planner', at: `${DISPATCH}/ServiceRequest?_count=100&_sort=_id`, keep: ids },
    { as: 'planner', at: `${DISPATCH}/CarePlan?patient=${patient}`, keep: ids },
    { as: 'nurse', at: `${ENGINE}/provider-tasks/my?per_page=100`, keep: guids('request_guid') },
    { as: 'patient', at: `${DISPATCH}/Patient/${patient}`, keep: whole },
    {
      as: 'admin',
      at: `${DISPATCH}/deliveries?provider_guid=${provider}&per_page=100`,
      keep: total,
    },
    { as: 'admin', at: `${ENGINE}/AuditEvent?patient=${patient}&action=U&_sort=date`, keep: ids },
    // The oldest: whoever reads from now on is in it, too.
    { as: 'patient', at: `${ENGINE}/access-log?per_page=200`, keep: ({ data }: Body) => ({ data: data.slice(-5) }) },
    { as: 'north', at: '/engine/t/north/api/v1/Patient?name=norrman', keep: ids },
  ];
}
