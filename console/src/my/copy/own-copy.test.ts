import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectOwnCopy } from './own-copy.ts';

const BASE = 'https://kedja.example.org';
const DISPATCH = '/dispatch/api/v1';
const ENGINE = '/engine/api/v1';
const NOW = new Date('2026-03-01T08:00:00.000Z');

const entryOf = (service: string, resource: { readonly resourceType: string; readonly id: string }) => ({
  fullUrl: `${BASE}${service}/${resource.resourceType}/${resource.id}`,
  resource,
});
const bundleOf = (entry: readonly object[], next?: string) => ({
  resourceType: 'Bundle',
  ...(entry.length === 0 ? {} : { entry }),
  link: next === undefined ? [] : [{ relation: 'next', url: BASE + next }],
});
const PATIENT = { resourceType: 'Patient', id: 'p1' };
const REQUEST = { resourceType: 'ServiceRequest', id: 'r1', status: 'active' };
const DRAFT = { resourceType: 'ServiceRequest', id: 'r2', status: 'draft' };

/** What is read at each address; the other addresses of lists and searches have nothing. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  '/identity/api/auth/account': { first_name: 'Åsa' },
  '/identity/api/patient/proxies': { given: [], received: [] },
  [`${DISPATCH}/own-consents?per_page=200&page=1`]: { data: [{ n: 1 }, { n: 2 }], total: 3 },
  [`${DISPATCH}/own-consents?per_page=200&page=2`]: { data: [{ n: 3 }], total: 3 },
  [`${DISPATCH}/Patient?_count=200&_total=none`]: bundleOf([entryOf(DISPATCH, PATIENT)]),
  [`${DISPATCH}/ServiceRequest?_count=200&_total=none`]: bundleOf([entryOf(DISPATCH, REQUEST)], `${DISPATCH}/r?page=2`),
  [`${DISPATCH}/r?page=2`]: bundleOf([entryOf(DISPATCH, DRAFT)]),
  [`${DISPATCH}/ServiceRequest/r1/matches?per_page=200&page=1`]: { data: [{ provider_name: 'Hemvården' }], total: 1 },
  [`${ENGINE}/Patient?_count=200&_total=none`]: bundleOf([entryOf(ENGINE, { resourceType: 'Patient', id: 'p2' })]),
  [`${ENGINE}/Patient/p1/*?_count=200&_total=none`]: bundleOf(
    [entryOf(ENGINE, { resourceType: 'Observation', id: 'v1' })],
    `${ENGINE}/e?cursor=c`,
  ),
  [`${ENGINE}/e?cursor=c`]: bundleOf([entryOf(ENGINE, { resourceType: 'Observation', id: 'v2' })]),
  [`${ENGINE}/Patient/p2/*?_count=200&_total=none`]: bundleOf([
    entryOf(ENGINE, { resourceType: 'Patient', id: 'p2' }),
    entryOf(ENGINE, { resourceType: 'Observation', id: 'v2' }),
  ]),
  [`${ENGINE}/access-log?lang=sv&per_page=200`]: { data: [{ who: 1 }], next_cursor: 'a&b' },
  [`${ENGINE}/access-log?lang=sv&per_page=200&cursor=a%26b`]: { data: [{ who: 2 }], next_cursor: null },
};

function read(address: string): Promise<unknown> {
  const { pathname } = new URL(BASE + address);
  const isSearch = /^\/(?:dispatch|engine)\/api\/v1\/[A-Z]/.test(pathname) && !pathname.endsWith('/matches');
  return Promise.resolve(ANSWERS[address] ?? (isSearch ? bundleOf([]) : { data: [], total: 0 }));
}

const collect = async (from: typeof read, onProgress: (read: number) => void = () => undefined) => {
  const pieces = await collectOwnCopy({ read: from, language: 'sv', now: () => NOW, onProgress });
  return JSON.parse(pieces.join(''));
};

test('every page of every list is in the copy, and each resource once', async () => {
  const asked: string[] = [];
  const progress: number[] = [];
  const copy = await collect(
    (address) => {
      asked.push(address);
      return read(address);
    },
    (count) => progress.push(count),
  );
  assert.equal(copy.created, NOW.toISOString());
  assert.deepEqual(copy.account, { first_name: 'Åsa' });
  assert.deepEqual(copy.consents, [{ n: 1 }, { n: 2 }, { n: 3 }]);
  assert.deepEqual(copy.forms, []);
  assert.deepEqual(copy.matches, [{ provider_name: 'Hemvården' }]);
  assert.deepEqual(copy.access_log, [{ who: 1 }, { who: 2 }]);
  const { entry, ...bundle } = copy.fhir;
  assert.deepEqual(bundle, { resourceType: 'Bundle', type: 'collection', timestamp: NOW.toISOString() });
  assert.deepEqual(
    entry.map(({ fullUrl }: { fullUrl: string }) => fullUrl.slice(BASE.length)),
    [
      `${DISPATCH}/Patient/p1`,
      `${DISPATCH}/ServiceRequest/r1`,
      `${DISPATCH}/ServiceRequest/r2`,
      `${ENGINE}/Patient/p2`,
      `${ENGINE}/Observation/v1`,
      `${ENGINE}/Observation/v2`,
    ],
  );
  assert.ok(asked.includes(`${DISPATCH}/ServiceRequest?archived=true&_count=200&_total=none`));
  assert.deepEqual(
    progress,
    progress.toSorted((a, b) => a - b),
  );
});

test('without any resource the Bundle has no entries', async () => {
  const { fhir } = await collect((address) =>
    Promise.resolve(address.includes('/access-log') ? { data: [], next_cursor: null } : { data: [], total: 0 }),
  );
  assert.deepEqual(Object.keys(fhir), ['resourceType', 'type', 'timestamp']);
});

test('a page that cannot be read ends the copy: no file lacks anything unsaid', async () => {
  const broken = (address: string) =>
    address.includes('cursor=c') ? Promise.reject(new Error('busy')) : read(address);
  await assert.rejects(collect(broken), /busy/);
});
