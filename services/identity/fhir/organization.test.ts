import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Organization } from 'fhir/r5.js';
import { BASE_URL, startIdentity } from '#test/support/identity/identity.ts';
import { fhirOf, foundIn, nextOf, placesOf, refusalOf } from '#test/support/identity/identity-fhir.ts';
import { auditedEvents, makePatient, makeProfessional } from '#test/support/identity/identity-people.ts';
import { fifty } from '#test/support/system/at-once.ts';

const identity = await startIdentity({ after });
const ask = fhirOf(identity);
const admin = await identity.asAdmin();

const create = (body: object, headers: Record<string, string> = {}) =>
  ask('/Organization', { method: 'POST', headers: { ...admin, ...headers }, body });
const named = (name: string) => create({ resourceType: 'Organization', name });
const search = (query: string, headers: Record<string, string> = {}) =>
  ask(`/Organization?${query}`, { headers: { ...admin, ...headers } });
const names = async (query: string) => foundIn(await search(query)).map((found) => (found as Organization).name);

test('Organization create: 201 with Location and ETag, and it is what its JSON twin lists', async () => {
  const narrative = { status: 'generated', div: '<div xmlns="http://www.w3.org/1999/xhtml">Ån</div>' };
  const sent = { resourceType: 'Organization', id: 'mine', active: true, name: ' Vårdcentralen Ån ', text: narrative };
  const created = await create(sent);
  assert.equal(created.status, 201, created.text);
  const { id, name, active, meta } = created.body;
  assert.notEqual(id, 'mine');
  assert.deepEqual([name, active], ['Vårdcentralen Ån', true]);
  assert.equal(created.headers['location'], `${BASE_URL}/fhir/Organization/${id}`);
  const twin = (await identity.app.inject('/api/public/organisations')).json();
  assert.deepEqual(twin, [{ organisation_guid: id, name }]);
  const read = await ask(`/Organization/${id}`, { headers: admin });
  assert.deepEqual([read.status, read.body, read.headers['etag']], [200, created.body, created.headers['etag']]);
  assert.equal(read.headers['last-modified'], new Date(meta.lastUpdated).toUTCString());
  assert.ok((await auditedEvents(identity)).includes('organisation.create'));
});

test('Organization read: by everybody signed in, conditionally, in part, by HEAD', async () => {
  const { id } = (await named('Read me')).body;
  for (const { headers } of [await makePatient(identity), await makeProfessional(identity)]) {
    assert.equal((await ask(`/Organization/${id}`, { headers })).body.name, 'Read me');
  }
  const { headers } = await ask(`/Organization/${id}`, { headers: admin });
  const again = (condition: Record<string, string>) =>
    ask(`/Organization/${id}`, { headers: { ...admin, ...condition } });
  assert.equal((await again({ 'if-none-match': String(headers['etag']) })).status, 304);
  assert.equal((await again({ 'if-none-match': 'W/"other"' })).status, 200);
  assert.equal((await again({ 'if-modified-since': String(headers['last-modified']) })).status, 304);
  assert.equal((await again({ 'if-modified-since': new Date(0).toUTCString() })).status, 200);
  const part = (await ask(`/Organization/${id}?_elements=name`, { headers: admin })).body;
  assert.deepEqual([part.name, part.meta.tag[0].code], ['Read me', 'SUBSETTED']);
  const head = await ask(`/Organization/${id}`, { method: 'HEAD', headers: admin });
  assert.deepEqual([head.status, head.text, head.headers['etag']], [200, '', headers['etag']]);
});

test('Organization create: Prefer chooses the answer', async () => {
  const prefer = (result: string) =>
    create({ resourceType: 'Organization', name: `Preferred ${result}` }, { prefer: `return=${result}` });
  const minimal = await prefer('minimal');
  assert.deepEqual([minimal.status, minimal.text], [201, '']);
  assert.match(String(minimal.headers['location']), /\/Organization\/[0-9a-f-]{36}$/);
  assert.equal((await prefer('OperationOutcome')).body.resourceType, 'OperationOutcome');
  assert.equal((await prefer('representation')).body.resourceType, 'Organization');
});

test('Organization create: every error and everything that cannot be kept is named in one answer', async () => {
  const answer = await create({
    resourceType: 'Organization',
    meta: { tag: [{ code: 'x' }], versionId: '7' },
    text: { status: 'additional', div: '<div xmlns="http://www.w3.org/1999/xhtml">more</div>' },
    active: false,
    name: '\u200b',
    alias: ['B', 'C'],
    identifier: [{ system: 'urn:x', value: '1' }],
    _name: { extension: [{ url: 'https://example.org/x', valueBoolean: true }] },
    partOf: { reference: 'not a reference' },
    nonsense: 1,
  });
  assert.deepEqual(refusalOf(answer).slice(0, 2), [422, 'unprocessable']);
  const places = new Set(placesOf(answer));
  for (const part of ['meta.tag', 'active', 'name', 'alias', 'identifier', '_name', 'partOf', 'nonsense', 'text.div']) {
    assert.ok(places.has(`Organization.${part}`), `${part} in ${[...places]}`);
  }
  assert.ok(!places.has('Organization.meta.versionId'));
  const nameless = await create({ resourceType: 'Organization' });
  assert.deepEqual([nameless.status, placesOf(nameless)], [422, ['Organization', 'Organization.name']]);
});

test('Organization create: the same name 50 times at once makes one', async () => {
  const answers = await fifty(() => named('Hjärtmottagningen'));
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  const refused = answers.find(({ status }) => status !== 201);
  assert.deepEqual(refused && refusalOf(refused), [409, 'conflict', 'conflict']);
  assert.equal((await named('hjärtmottagningen')).status, 409);
});

test('Organization search by name: beginnings of words without case and accents, exact, contained', async () => {
  for (const name of ['Öster Clinic', 'Ostra', 'East-Öst Care']) await named(name);
  assert.deepEqual(await names('name=ost'), ['Öster Clinic', 'Ostra', 'East-Öst Care']);
  assert.deepEqual(await names('name:exact=Ostra'), ['Ostra']);
  assert.deepEqual(await names('name:exact=ostra'), []);
  assert.deepEqual(await names('name:contains=LINI'), ['Öster Clinic']);
  assert.deepEqual(await names('name=ostra,east'), ['Ostra', 'East-Öst Care']);
  assert.deepEqual(await names('name=ost&name=care'), ['East-Öst Care']);
  assert.deepEqual(await names('name=nobody'), []);
  assert.deepEqual(await names('name:missing=true'), []);
});

test('Organization search by _id, active and _lastUpdated', async () => {
  const { id, meta } = (await named('By id')).body;
  assert.deepEqual(await names(`_id=${id}`), ['By id']);
  assert.deepEqual(await names(`_id=${id},other`), ['By id']);
  assert.deepEqual(await names(`_id=${id}&active=true`), ['By id']);
  assert.deepEqual(await names(`_id=${id}&active=false`), []);
  assert.deepEqual(await names(`_id=${id}&active:not=true`), []);
  for (const [condition, isFound] of [
    [meta.lastUpdated, true],
    [`ge${meta.lastUpdated}`, true],
    [`gt${meta.lastUpdated}`, false],
    [`lt${meta.lastUpdated}`, false],
    ['lt2000', false],
    ['ne2000', true],
    [`${new Date().getUTCFullYear()}`, true],
    ['ap2000', false],
  ]) {
    assert.equal((await names(`_id=${id}&_lastUpdated=${condition}`)).length, isFound ? 1 : 0, condition);
  }
});

test('Organization search: a searchset with total, links and modes; POST _search is the same', async () => {
  const answer = await search('name=by&_count=5&unknown=1');
  const { total, link, entry } = answer.body;
  assert.deepEqual([total, entry.length, entry[0].search.mode], [1, 1, 'match']);
  assert.equal(entry[0].fullUrl, `${BASE_URL}/fhir/Organization/${entry[0].resource.id}`);
  assert.deepEqual(link, [{ relation: 'self', url: `${BASE_URL}/fhir/Organization?name=by&_count=5` }]);
  const posted = await ask('/Organization/_search?_count=5', {
    method: 'POST',
    headers: { ...admin, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'name=by',
  });
  assert.deepEqual(posted.body.entry, entry);
  const asJson = await ask('/Organization/_search', { method: 'POST', headers: admin, body: {} });
  assert.deepEqual(refusalOf(asJson), [415, 'unsupported_media_type', 'not-supported']);
});

test('Organization search: pages neither repeat nor skip while others are added', async () => {
  for (let number = 0; number < 5; number += 1) await named(`Paged ${number}`);
  const first = await search('name=paged&_count=2');
  assert.deepEqual([first.body.total, foundIn(first).length], [5, 2]);
  await named('Paged later');
  const seen = foundIn(first).map(({ id }) => id);
  for (let next = nextOf(first, BASE_URL); next !== undefined; ) {
    const page = await ask(next, { headers: admin });
    assert.equal(page.body.total, 5);
    seen.push(...foundIn(page).map(({ id }) => id));
    next = nextOf(page, BASE_URL);
  }
  assert.deepEqual([seen.length, new Set(seen).size], [6, 6]);
});

test('Organization search: counts, totals, parts', async () => {
  const all = await names('_count=1000');
  assert.equal((await search('')).body.entry.length, 20 < all.length ? 20 : all.length);
  for (const query of ['_count=0', '_summary=count']) {
    const { total, entry } = (await search(query)).body;
    assert.deepEqual([total, entry], [all.length, undefined]);
  }
  assert.equal((await search('_total=none')).body.total, undefined);
  assert.equal((await search('_total=accurate&_count=1')).body.total, all.length);
  assert.equal((await search('_count=100000')).status, 200);
  const [part] = foundIn(await search('_elements=name&_count=1')) as Organization[];
  assert.equal(part?.meta?.tag?.[0]?.code, 'SUBSETTED');
  assert.match((await search('_pretty=true&_count=1')).text, /^\{\n/);
});

test('Organization search: unreadable parameters are refused; unknown ones only under strict handling', async () => {
  for (const query of [
    '_count=-1',
    '_count=x',
    '_cursor=x',
    '_total=x',
    '_id=%25',
    '_lastUpdated=yesterday',
    'name:below=x',
    'name=%00',
    'name=',
    'active:text=x',
  ]) {
    assert.equal((await search(query)).status, 400, query);
  }
  const strict = { prefer: 'handling=strict' };
  for (const query of [
    'partof=1',
    'partof.name=x',
    '_sort=name',
    '_include=Organization:partof',
    '_has:Group:member:name=x',
    'x=1',
  ]) {
    assert.equal((await search(query)).status, 200, query);
    assert.deepEqual(refusalOf(await search(query, strict)), [400, 'validation_error', 'not-supported'], query);
  }
  assert.deepEqual(placesOf(await search('a=1&b=2&name=x', strict)), ['a', 'b']);
});
