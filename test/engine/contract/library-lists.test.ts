// The lists of the library, tested filter by filter and bound by bound (contract: engine, "Concepts", "Lookup tables",
// "Activities and goals"; decision G5). Also the errors that every address of it has.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startEngineContract, UNKNOWN } from '#test/support/engine/engine-contract.ts';
import { makeLibrary } from '#test/support/engine/engine-library.ts';

const contract = await startEngineContract({ after });
const { ask, refuse, app } = contract;
const library = await makeLibrary(contract);
const as = 'planner';

const make = async (path: string, body: object): Promise<string> =>
  String(Object.values((await ask(`POST ${path}`, { as, body })).body)[0]);
const type = await make('/concept-types', { name: 'Type of one', description: 'Åäö in a description' });
const otherLib = await make('/canonical-libs', {
  name: 'Other codes',
  url: 'urn:other',
  publisher: 'Region Ö',
  description: '100 % own',
});
await make('/units', { name: 'gram', ucum_code: 'g', description: 'Small' });
await make('/response-types', { name: 'Yes or no', fhir_type: 'boolean', description: 'A_B' });
await make('/concepts', {
  canonical_lib: otherLib,
  concept_name: 'Pulse',
  concept_type: type,
  concept_explain: 'Slår',
});
const retired = { name: 'Old walk', concept: library.breath, status: 'retired', description: 'Gånger' };
const walk = await make('/activities', retired);
await make('/activities', { name: 'Draft walk', concept: library.weight, status: 'draft' });
await make('/goals', { name: 'Walk more', concept: library.breath, activities: [walk], description: 'Ökad ork' });

/**
 * Each list: the field that names its items, its filters with what they find, and values that a filter does not take.
 */
const LISTS: readonly {
  path: string;
  name: string;
  filters: readonly [query: string, found: readonly string[]][];
  unfit: readonly string[];
}[] = [
  {
    path: '/concepts',
    name: 'concept_name',
    filters: [
      [`canonical_lib=${otherLib}`, ['Pulse']],
      [`canonical_lib=${library.lib}`, ['Body weight', 'Breathlessness']],
      [`concept_type=${type}`, ['Pulse']],
      [`response_type=${library.quantity}`, ['Body weight']],
      ['has_values=true', ['Breathlessness']],
      ['has_values=false', ['Body weight', 'Pulse']],
      ['search=WEIGHT', ['Body weight']],
      ['search=sl%C3%85r', ['Pulse']],
      [`canonical_lib=${library.lib}&has_values=false&search=b`, ['Body weight']],
      [`concept_type=${type}&response_type=${library.quantity}`, []],
      [`canonical_lib=${UNKNOWN}`, []],
      [`concept_type=${UNKNOWN}`, []],
      [`response_type=${UNKNOWN}`, []],
    ],
    unfit: ['canonical_lib=x', 'concept_type=', 'response_type=1', 'has_values=1', 'has_values=', 'concept_name=x'],
  },
  {
    path: '/canonical-libs',
    name: 'name',
    filters: [
      ['search=OTHER', ['Other codes']],
      ['search=urn:oth', ['Other codes']],
      ['search=region%20%C3%B6', ['Other codes']],
      ['search=100%20%25', ['Other codes']],
      ['search=%25', ['Other codes']],
      ['search=codes', ['Codes', 'Other codes']],
    ],
    unfit: ['name=x', 'url=x'],
  },
  {
    path: '/concept-types',
    name: 'name',
    filters: [
      ['search=TYPE', ['Type of one']],
      ['search=%C3%85%C3%84%C3%96', ['Type of one']],
    ],
    unfit: ['name=x'],
  },
  {
    path: '/response-types',
    name: 'name',
    filters: [
      ['search=bool', ['Yes or no']],
      ['search=_', ['Yes or no']],
      ['search=codeableconcept', ['Choice']],
    ],
    unfit: ['fhir_type=boolean'],
  },
  {
    path: '/units',
    name: 'name',
    filters: [
      ['search=gram', ['gram', 'kilogram']],
      ['search=small', ['gram']],
      ['search=kg', ['kilogram']],
    ],
    unfit: ['ucum_code=g'],
  },
  {
    path: '/activities',
    name: 'name',
    filters: [
      ['status=active', ['Daily question', 'Weighing']],
      ['status=draft', ['Draft walk']],
      ['status=retired', ['Old walk']],
      [`concept=${library.weight}`, ['Draft walk', 'Weighing']],
      [`concept=${library.weight}&status=active`, ['Weighing']],
      [`concept=${UNKNOWN}`, []],
      ['search=WALK', ['Draft walk', 'Old walk']],
      ['search=g%C3%85nger', ['Old walk']],
    ],
    unfit: ['status=gone', 'status=', 'concept=x', 'name=x'],
  },
  {
    path: '/goals',
    name: 'name',
    filters: [
      [`activity=${walk}`, ['Walk more']],
      [`activity=${library.question}`, []],
      [`activity=${UNKNOWN}`, []],
      ['search=STABLE', ['Stable weight']],
      ['search=%C3%B6kad', ['Walk more']],
      [`search=w&activity=${library.weighing}`, ['Stable weight']],
    ],
    unfit: ['activity=x', 'concept=x'],
  },
];

for (const { path, name, filters, unfit } of LISTS) {
  const list = async (query: string) => {
    const { status, body, headers, text } = await ask(`GET ${path}?${query}`, { as });
    assert.equal(status, 200, text);
    const names: string[] = body.data.map((item: Record<string, string>) => item[name]);
    return { names, body, link: String(headers['link']) };
  };

  for (const [query, found] of filters) {
    test(`GET ${path}?${decodeURIComponent(query).replaceAll(/[0-9a-f-]{36}/g, '…')} finds ${found.join(', ') || 'nothing'}`, async () => {
      const { names, body } = await list(query);
      assert.deepEqual(names, found);
      assert.equal(body.total, found.length);
    });
  }

  test(`GET ${path}: 400 for each value that a filter does not take, each bound and each unknown parameter`, async () => {
    const bounds = ['page=0', 'page=-1', 'page=1.5', 'page=x', 'page=', 'page=1000000001'];
    const sizes = ['per_page=0', 'per_page=201', 'per_page=-1', 'per_page=2.5', 'per_page=x', 'per_page='];
    const texts = ['search=', `search=${'x'.repeat(201)}`, 'search=%00', 'sort=name', 'page=1&page=2'];
    for (const query of [...bounds, ...sizes, ...texts, ...unfit]) {
      const { body } = await refuse(`GET ${path}?${query}`, { as }, 400, 'validation_error');
      assert.ok(body.message.includes(`'${query.split('=')[0]}'`), `${query}: ${body.message}`);
    }
    const { body } = await refuse(`GET ${path}?page=0&per_page=201&search=`, { as }, 400, 'validation_error');
    assert.equal(body.messages.length, 3, 'every error is named');
  });

  test(`GET ${path}: pages of every size follow each other, with links`, async () => {
    const all = await list('per_page=200');
    assert.deepEqual([all.body.page, all.body.per_page], [1, 200]);
    const plain = await list('');
    assert.deepEqual([plain.body.page, plain.body.per_page, plain.names], [1, 20, all.names]);
    const { total } = all.body;
    const paged: string[] = [];
    for (let page = 1; page <= total; page += 1) {
      const { names, link } = await list(`per_page=1&page=${page}`);
      paged.push(...names);
      const rels = [...link.matchAll(/rel="(\w+)"/g)].map(([, rel]) => rel);
      assert.deepEqual(rels, ['first', ...(page > 1 ? ['prev'] : []), ...(page < total ? ['next'] : []), 'last']);
    }
    assert.deepEqual(paged, all.names);
    for (const page of [total + 1, 1_000_000_000]) {
      const { names, body } = await list(`per_page=1&page=${page}`);
      assert.deepEqual([names, body.total], [[], total]);
    }
  });
}

/** Every address that takes a body, and one that it takes. */
const WRITES: readonly [address: string, body: object][] = [
  ['POST /canonical-libs', { name: 'X', url: 'urn:x' }],
  ['POST /concept-types', { name: 'X' }],
  ['POST /response-types', { name: 'X', fhir_type: 'string' }],
  ['POST /units', { name: 'X', ucum_code: 'm' }],
  ['POST /concepts', { canonical_lib: library.lib, concept_name: 'X' }],
  ['POST /activities', { name: 'X', concept: library.weight }],
  [`POST /activities/${library.weighing}/transactions`, { name: 'X', concept: library.weight }],
  ['POST /goals', { name: 'X', concept: library.weight }],
  ['POST /plan-definitions', { title: 'X', activities: [library.weighing] }],
  ['PUT /canonical-libs/{id}', { name: 'Y', url: 'urn:y' }],
  ['PUT /concept-types/{id}', { name: 'Y' }],
  ['PUT /response-types/{id}', { name: 'Y', fhir_type: 'string' }],
  ['PUT /units/{id}', { name: 'Y', ucum_code: 'm' }],
  ['PUT /concepts/{id}', { canonical_lib: library.lib, concept_name: 'Y' }],
  ['PUT /activities/{id}', { name: 'Y', concept: library.weight }],
  ['PUT /transactions/{id}', { name: 'Y', concept: library.weight }],
  ['PUT /goals/{id}', { name: 'Y', concept: library.weight }],
];

for (const [address, body] of WRITES) {
  test(`${address.replace(library.weighing, '{id}')}: 400, 413 and 415 for what is no such body, naming every error`, async () => {
    const concrete = address.replace('{id}', UNKNOWN);
    const [method = '', path = ''] = concrete.split(' ');
    await refuse(concrete, { as, body: '{"name": ' }, 400, 'invalid_request');
    for (const wrong of ['[]', '"text"', 'null', '1'])
      await refuse(concrete, { as, body: wrong }, 400, 'validation_error');
    const { body: all } = await refuse(concrete, { as, body: { unheard: 1, of: 2 } }, 400, 'validation_error');
    assert.ok(all.messages.length >= 3, all.message);
    await refuse(concrete, { as, body: { ...body, unheard: 1 } }, 400, 'validation_error');
    await refuse(concrete, { as, body: { ...body, padding: 'x'.repeat(1024 * 1024) } }, 413, 'payload_too_large');
    const headers = { authorization: `Bearer ${as}`, 'content-type': 'text/plain' };
    const plain = await app.inject({ method: method as 'POST', url: `/api/v1${path}`, headers, payload: '{}' });
    assert.deepEqual([plain.statusCode, plain.json().error], [415, 'unsupported_media_type']);
    if (address.includes('{id}')) await refuse(concrete, { as, body }, 404, 'not_found');
  });
}

const IDS: readonly [path: string, methods: string][] = [
  ['/canonical-libs', 'DELETE, GET, HEAD, PUT'],
  ['/concept-types', 'GET, HEAD, PUT'],
  ['/response-types', 'GET, HEAD, PUT'],
  ['/units', 'GET, HEAD, PUT'],
  ['/concepts', 'DELETE, GET, HEAD, PUT'],
  ['/activities', 'DELETE, GET, HEAD, PUT'],
  ['/goals', 'DELETE, GET, HEAD, PUT'],
];

for (const [path, methods] of IDS) {
  test(`${path}/{id}: 404 for an unknown guid and for what is none; 405 with Allow for other methods`, async () => {
    for (const id of [UNKNOWN, 'x', UNKNOWN.toUpperCase(), '%00', '../x']) {
      await refuse(`GET ${path}/${encodeURIComponent(id)}`, { as }, 404, 'not_found');
      if (methods.includes('DELETE'))
        await refuse(`DELETE ${path}/${encodeURIComponent(id)}`, { as }, 404, 'not_found');
    }
    const { headers } = await refuse(`PATCH ${path}/${UNKNOWN}`, { as, body: {} }, 405, 'method_not_allowed');
    assert.equal(headers['allow'], methods);
    const all = await refuse(`DELETE ${path}`, { as }, 405, 'method_not_allowed');
    assert.equal(all.headers['allow'], 'GET, HEAD, POST');
  });
}

test('/transactions/{id}: 404 for an unknown guid and for what is none; 405 with Allow for reading, which the contract does not have', async () => {
  for (const id of [UNKNOWN, 'x']) await refuse(`DELETE /transactions/${id}`, { as }, 404, 'not_found');
  const { headers } = await refuse(`GET /transactions/${UNKNOWN}`, { as }, 405, 'method_not_allowed');
  assert.equal(headers['allow'], 'DELETE, PUT');
});
