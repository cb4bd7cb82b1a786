// Checks a service against its capability statement: claimed interactions and parameters must work, all others must be
// refused. Each check returns its errors as texts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CapabilityStatement, CapabilityStatementRestResource } from 'fhir/r5.js';
import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { parametersOf } from '#test/model/parameters.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Sent {
  readonly status: number;
  readonly text: string;
}

export type Send = (
  method: Method,
  url: string,
  more?: { readonly body?: string; readonly type?: string; readonly strict?: boolean },
) => Promise<Sent>;

/** Requests to `/api/v1` by one caller. The body is FHIR JSON unless another type is given. */
export function senderOf(app: HttpApp, caller: string): Send {
  return async (method, url, { body, type = 'application/fhir+json', strict = false } = {}) => {
    const headers = {
      authorization: `Bearer ${caller}`,
      ...(strict ? { prefer: 'handling=strict' } : {}),
      ...(body === undefined ? {} : { 'content-type': type }),
    };
    const payload = body === undefined ? {} : { payload: body };
    const answer = await app.inject({ method, url: `/api/v1${url}`, headers, ...payload });
    return { status: answer.statusCode, text: answer.payload };
  };
}

/** A service under test: its statement and its calls. */
export interface Claims {
  readonly statement: CapabilityStatement;
  readonly send: Send;
  /** The search parameters of the service, with the components of composites. */
  readonly parameters: SearchParameters;
  /** Values of parameters that are the service's own. */
  readonly ownValues?: Readonly<Record<string, string>>;
}

export function claimedTypes({ statement }: Pick<Claims, 'statement'>): readonly CapabilityStatementRestResource[] {
  return statement.rest?.[0]?.resource ?? [];
}

/** A resource to write, and the id by which it is addressed. */
export interface Sample {
  readonly id: string;
  readonly text: string;
  /** Whether it is readable after the attempt to write it. */
  readonly isThere: boolean;
}

/** Every interaction of every type: claimed and served, or neither. */
async function wrongInteractions(claims: Claims, sampleOf: (type: string) => Promise<Sample>): Promise<string[]> {
  const wrong: string[] = [];
  for (const { type, interaction = [] } of claimedTypes(claims)) {
    const claimed = new Set(interaction.map(({ code }) => String(code)));
    for (const [code, expected, answer] of callsOf(claims.send, type, await sampleOf(type))) {
      const { status, text } = await answer();
      const isRight = claimed.has(code) ? status === expected : [404, 405].includes(status);
      if (!isRight) wrong.push(`${code} ${type}: ${status} ${text.slice(0, 300)}`);
    }
  }
  return wrong;
}

type Call = readonly [code: string, expected: number, answer: () => Promise<Sent>];

function callsOf(send: Send, type: string, { id, text, isThere }: Sample): readonly Call[] {
  const patch = JSON.stringify([{ op: 'test', path: '/resourceType', value: type }]);
  const read = isThere ? 200 : 404;
  return [
    ['create', 201, () => send('POST', `/${type}`, { body: text })],
    ['update', 201, () => send('PUT', `/${type}/${id}`, { body: text })],
    ['read', read, () => send('GET', `/${type}/${id}`)],
    ['vread', read, () => send('GET', `/${type}/${id}/_history/1`)],
    ['patch', 200, () => send('PATCH', `/${type}/${id}`, { body: patch, type: 'application/json-patch+json' })],
    ['history-instance', 200, () => send('GET', `/${type}/${id}/_history`)],
    ['history-type', 200, () => send('GET', `/${type}/_history`)],
    ['search-type', 200, () => send('GET', `/${type}`)],
    ['delete', 204, () => send('DELETE', `/${type}/${id}`)],
  ];
}

const VALUES: Readonly<Record<string, string>> = {
  date: '2020-01',
  number: '1',
  quantity: '1',
  string: 'a',
  // Because some are booleans.
  token: 'true',
  reference: 'a',
  uri: 'http://example.org/a',
};
const OWN_VALUES: Readonly<Record<string, string>> = {
  _filter: '_id eq a',
  near: '59.3|18.1|5|km',
  _list: 'a',
  _in: 'List/a',
};

/** A value that the parameter's type takes. */
function valueFor({ parameters, ownValues = {} }: Claims, type: string, [name, of]: readonly [string, string]): string {
  const own = ownValues[name] ?? OWN_VALUES[name];
  if (own !== undefined) return own;
  if (of !== 'composite') return VALUES[of] ?? 'a';
  const components = parameters.forType(type).get(name)?.groups[0]?.components ?? [];
  return components.map((component) => VALUES[component.type]).join('$');
}

function queryOf(pairs: readonly (readonly [string, string])[]): string {
  return pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
}

/** Every search parameter that is claimed is understood under strict handling. */
async function wrongParameters(claims: Claims): Promise<string[]> {
  const wrong: string[] = [];
  for (const { type, searchParam = [] } of claimedTypes(claims)) {
    const named = searchParam.map(({ name, type: of }) => [name, String(of)] as const);
    const pairs = named.map((each) => [each[0], valueFor(claims, type, each)] as const);
    // A page is given by either of two pairs of parameters.
    for (const others of [
      ['_offset', '_count'],
      ['page', 'per_page'],
    ]) {
      const query = queryOf(pairs.filter(([name]) => !others.includes(name)));
      const { status, text } = await claims.send('GET', `/${type}?${query}`, { strict: true });
      if (status !== 200) wrong.push(`${type} without ${others.join(' and ')}: ${status} ${text.slice(0, 500)}`);
    }
  }
  return wrong;
}

/** Every published parameter that is not claimed is refused under strict handling. */
async function wrongOthers(claims: Claims): Promise<string[]> {
  const wrong: string[] = [];
  for (const { type, searchParam = [] } of claimedTypes(claims)) {
    const claimed = new Set(searchParam.map(({ name }) => name));
    for (const { code, type: of } of parametersOf(type).values()) {
      if (claimed.has(code)) continue;
      const query = queryOf([[code, valueFor(claims, type, [code, of])]]);
      const { status } = await claims.send('GET', `/${type}?${query}`, { strict: true });
      if (status !== 400) wrong.push(`${type}?${code}: ${status}`);
    }
  }
  return wrong;
}

/** Every include is understood under strict handling, forwards and backwards. */
async function wrongIncludes(claims: Claims): Promise<string[]> {
  const wrong: string[] = [];
  for (const { type, searchInclude = [], searchRevInclude = [] } of claimedTypes(claims)) {
    const pairs = [
      ...searchInclude.map((value) => ['_include', value] as const),
      ...searchRevInclude.map((value) => ['_revinclude', value] as const),
    ];
    for (let at = 0; at < pairs.length; at += 150) {
      const query = queryOf(pairs.slice(at, at + 150));
      const { status, text } = await claims.send('GET', `/${type}?_count=1&${query}`, { strict: true });
      if (status !== 200) wrong.push(`${type}: ${status} ${text.slice(0, 300)}`);
    }
  }
  return wrong;
}

/** Declares the tests of a statement; `sampleOf` returns a resource of the type to write. */
export function testClaims(claims: Claims, sampleOf: (type: string) => Promise<Sample>): void {
  test('every interaction of every type is served as claimed, and no other', async () => {
    assert.deepEqual(await wrongInteractions(claims, sampleOf), []);
  });
  test('every search parameter is understood under strict handling', async () => {
    assert.deepEqual(await wrongParameters(claims), []);
  });
  test('a published parameter that is not claimed is refused under strict handling', async () => {
    assert.deepEqual(await wrongOthers(claims), []);
  });
  test('every include is understood, forwards and backwards', async () => {
    assert.deepEqual(await wrongIncludes(claims), []);
  });
}
