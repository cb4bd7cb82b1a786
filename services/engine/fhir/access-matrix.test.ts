// No request returns records that its caller may not read (decisions G7, G12, E8). Records of two organisations, two
// patients and a key contain one unique word each. Every caller makes every kind of request. The words in the responses
// are exactly those allowed.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { principalOfKey } from '#lib/auth/api-key-principal.ts';
import { BASE_URL, PATIENT as ONE, startTestEngine } from '#test/support/engine/engine.ts';
import { makeKey, makePrincipal } from '#test/support/http-app.ts';

const TWO = '01900000-0000-7000-8000-0000000000b2';
const KEY = '01900000-0000-7000-8000-0000000000b3';
const { call, app, engine, clock } = await startTestEngine(
  { after },
  {
    callers: {
      two: makePrincipal(['patient'], { patientGuid: TWO }),
      wide: makeKey('system/*.cruds'),
      narrow: makeKey('system/Observation.rs'),
      writer: makeKey('system/Observation.cu'),
      provider: principalOfKey({ keyGuid: '01900000-0000-7000-8000-0000000000c2', scopes: [], providerGuid: TWO }),
    },
  },
);

/** Address and word of each record, who wrote it and which patient it is about. */
const RECORDS = [
  { address: `Patient/${ONE}`, word: 'wordaaa', by: 'planner', about: '' },
  { address: `Patient/${TWO}`, word: 'wordbbb', by: 'stranger', about: '' },
  { address: `Patient/${KEY}`, word: 'wordccc', by: 'wide', about: '' },
  { address: 'Observation/one', word: 'wordddd', by: 'planner', about: ONE },
  { address: 'Observation/two', word: 'wordeee', by: 'stranger', about: TWO },
  { address: 'Observation/two-of-a', word: 'wordfff', by: 'planner', about: TWO },
  { address: 'Observation/one-of-b', word: 'wordggg', by: 'stranger', about: ONE },
  { address: 'Observation/keys', word: 'wordhhh', by: 'wide', about: KEY },
  { address: 'CarePlan/one', word: 'wordiii', by: 'planner', about: ONE },
  { address: 'CarePlan/two', word: 'wordjjj', by: 'stranger', about: TWO },
  // Refers to the first patient, and is not the first patient.
  { address: 'Patient/linked', word: 'wordkkk', by: 'stranger', about: ONE },
] as const;

/** What each may see. */
const SEEN: Readonly<Record<string, readonly string[]>> = {
  admin: RECORDS.map(({ word }) => word),
  planner: ['wordaaa', 'wordddd', 'wordfff', 'wordiii'],
  stranger: ['wordbbb', 'wordeee', 'wordggg', 'wordjjj', 'wordkkk'],
  patient: ['wordaaa', 'wordddd', 'wordggg', 'wordiii'],
  two: ['wordbbb', 'wordeee', 'wordfff', 'wordjjj'],
  idle: ['wordaaa', 'wordddd', 'wordfff', 'wordiii'],
  wide: ['wordccc', 'wordhhh'],
  narrow: ['wordhhh'],
  writer: [],
  provider: [],
  service: [],
};

function record({ address, word, about }: (typeof RECORDS)[number]): object {
  const [resourceType, id] = address.split('/');
  // Whether the engine's own address is written out makes no difference to who sees it.
  const base = address === 'Observation/two-of-a' || address === 'Observation/one' ? `${BASE_URL}/` : '';
  const subject = { reference: `${base}Patient/${about}` };
  switch (resourceType) {
    case 'Patient':
      return {
        resourceType,
        id,
        name: [{ family: word }],
        identifier: [{ system: 'urn:words', value: word }],
        ...(about === '' ? {} : { link: [{ other: subject, type: 'seealso' }] }),
      };
    case 'Observation':
      return {
        resourceType,
        id,
        status: 'final',
        code: { text: word, coding: [{ system: 'urn:words', code: word }] },
        subject,
      };
    default:
      return {
        resourceType,
        id,
        status: 'active',
        intent: 'plan',
        title: word,
        subject,
        category: [{ text: word, coding: [{ system: 'urn:words', code: word }] }],
      };
  }
}

before(async () => {
  for (const each of RECORDS) {
    const { status, text } = await call(each.by, 'PUT', `/${each.address}`, record(each));
    assert.equal(status, 201, text);
    assert.equal((await call(each.by, 'PUT', `/${each.address}`, { ...record(each), language: 'sv' })).status, 200);
  }
});

const TYPES = ['Patient', 'Observation', 'CarePlan'];
const INCLUDES = '_include=Observation:subject&_include=CarePlan:subject&_include:iterate=Observation:*';
const REVINCLUDES =
  '_revinclude=Observation:subject&_revinclude:iterate=CarePlan:subject&_revinclude:iterate=Observation:patient';

/** Requests whose answers may hold nothing but what the caller sees. */
const PATHS: readonly string[] = [
  ...RECORDS.flatMap(({ address }) => [
    address,
    `${address}/_history`,
    `${address}/_history/1`,
    `${address}?_elements=id,name,code,title`,
  ]),
  ...TYPES.flatMap((type) => [
    type,
    `${type}/_history`,
    `${type}?_summary=true`,
    `${type}?_count=100&_sort=-_lastUpdated`,
  ]),
  '_history',
  '_history?_count=100',
  `Observation?${INCLUDES}`,
  `CarePlan?${INCLUDES}`,
  `Patient?${REVINCLUDES}`,
  `Patient?_revinclude=CarePlan:subject&_revinclude:iterate=Observation:subject&${INCLUDES}`,
  ...[ONE, TWO, KEY].flatMap((id) => [
    `Patient/${id}/$everything`,
    `Patient/${id}/Observation`,
    `Patient/${id}/CarePlan?${INCLUDES}`,
    `Patient?_id=${id}&${REVINCLUDES}`,
    `Observation?subject=Patient/${id}&${INCLUDES}`,
  ]),
  'Observation?_filter=status eq final',
  'Observation?_explain=true',
  '$export',
];

const BULK = 'application/fhir+ndjson';

function send(caller: string, address: string, payload?: string) {
  const type = payload === undefined ? {} : { 'content-type': BULK };
  return app.inject({
    method: payload === undefined ? 'GET' : 'POST',
    url: address.replace('http://engine.test', ''),
    headers: { authorization: `Bearer ${caller}`, prefer: 'respond-async', ...type },
    ...(payload === undefined ? {} : { payload }),
  });
}

/** The address of a job and its manifest when it is done; undefined for whom it is not. */
async function bulk(caller: string, path: string, payload?: string) {
  const started = await send(caller, `/api/v1/${path}`, payload);
  if (started.statusCode === 403) return undefined;
  assert.equal(started.statusCode, 202, started.payload);
  const address = String(started.headers['content-location']);
  for (let turn = 0; turn < 5_000; turn += 1) {
    const answer = await send(caller, address);
    if (answer.statusCode !== 202) {
      assert.equal(answer.statusCode, 200, answer.payload);
      return { address, manifest: answer.json() };
    }
    clock.time += 100;
    engine.wake();
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('the job does not end');
}

/** Who may export at all, and is shown all that is theirs in that way too. */
const EXPORTERS = ['admin', 'planner', 'stranger', 'wide', 'narrow'];

function wordsIn(text: string): string[] {
  return RECORDS.map(({ word }) => word).filter((word) => text.includes(word));
}

for (const [caller, allowed] of Object.entries(SEEN)) {
  test(`${caller} is answered nothing but what is theirs`, async () => {
    const seen = new Set<string>();
    for (const path of PATHS) {
      const { text, status } = await call(caller, 'GET', `/${path}`);
      assert.notEqual(status, 500, path);
      for (const word of wordsIn(text)) {
        assert.ok(allowed.includes(word), `${path} shows ${word} to ${caller}`);
        seen.add(word);
      }
    }
    // Who may read at all is shown all of it.
    const readers = caller !== 'idle';
    if (readers) assert.deepEqual([...seen].sort(), [...allowed].sort());
  });

  test(`${caller} learns nothing more within a batch`, async () => {
    const entry = PATHS.map((url) => ({ request: { method: 'GET', url } }));
    const { text } = await call(caller, 'POST', '/', { resourceType: 'Bundle', type: 'batch', entry });
    assert.deepEqual(
      wordsIn(text).filter((word) => !allowed.includes(word)),
      [],
    );
  });

  test(`${caller} finds nothing by what cannot be seen`, async () => {
    for (const { word } of RECORDS) {
      // What is visible refers to, or is referred to by, what is not.
      for (const path of [
        `Observation?subject:Patient.family=${word}`,
        `Observation?subject:Patient.identifier=urn:words|${word}`,
        `CarePlan?patient.name=${word}`,
        `Patient?_has:Observation:subject:code=urn:words|${word}`,
        `Patient?_has:CarePlan:patient:category=urn:words|${word}`,
        `Observation?subject:Patient._has:CarePlan:patient:category=urn:words|${word}`,
        `Observation?subject:Patient._has:Observation:patient:code=urn:words|${word}`,
        `Observation?code=urn:words|${word}`,
        `Observation?code:text=${word}`,
        `Observation?_content=${word}`,
        `Observation?_filter=code eq ${word}`,
      ]) {
        const { status, body } = await call(caller, 'GET', `/${path}`);
        if (allowed.includes(word) || status !== 200) continue;
        assert.deepEqual([body.total, body.entry ?? []], [0, []], `${caller}: ${path}`);
      }
    }
  });
}

for (const [caller, allowed] of Object.entries(SEEN)) {
  test(`${caller} exports nothing but what is theirs, and nobody else gets the files`, async () => {
    const done = await bulk(caller, '$export');
    if (!EXPORTERS.includes(caller)) assert.ok(caller === 'idle' || done === undefined, caller);
    const seen = new Set<string>();
    for (const { url } of done?.manifest.output ?? []) {
      const file = await send(caller, url);
      assert.equal(file.statusCode, 200, file.payload);
      for (const word of wordsIn(file.payload)) seen.add(word);
      for (const [other, theirs] of Object.entries(SEEN)) {
        const { statusCode, payload } = await send(other, url);
        if (statusCode !== 200) assert.ok([403, 404].includes(statusCode), payload);
        assert.deepEqual(
          wordsIn(payload).filter((word) => !theirs.includes(word)),
          [],
          `${other} reads the export of ${caller}`,
        );
      }
    }
    if (EXPORTERS.includes(caller)) assert.deepEqual([...seen].sort(), [...allowed].sort());
    assert.deepEqual(
      [...seen].filter((word) => !allowed.includes(word)),
      [],
    );
  });
}

test('imports are for admins and keys that may write everything, and replace nothing that the key does not see', async () => {
  const hidden = RECORDS.filter(({ word }) => !SEEN['wide']?.includes(word));
  const lines = hidden.map((each) => `${JSON.stringify({ ...record(each), language: 'en' })}\n`).join('');
  const before = await Promise.all(hidden.map(({ address }) => call('admin', 'GET', `/${address}`)));
  for (const caller of Object.keys(SEEN).filter((each) => each !== 'admin' && each !== 'wide'))
    assert.equal(await bulk(caller, '$import', lines), undefined, caller);
  const done = await bulk('wide', '$import', lines);
  assert.deepEqual(done?.manifest.extension.counts, { created: 0, updated: 0, unchanged: 0, faults: hidden.length });
  for (const { url } of done?.manifest.error ?? []) assert.deepEqual(wordsIn((await send('wide', url)).payload), []);
  const now = await Promise.all(hidden.map(({ address }) => call('admin', 'GET', `/${address}`)));
  assert.deepEqual(
    now.map(({ text }) => text),
    before.map(({ text }) => text),
  );
});

/** What a key may change by its scope `u` and not see: it is shown what it has sent itself. */
const MAY_CHANGE: Readonly<Record<string, readonly string[]>> = { writer: ['wordhhh'] };

test('nobody changes what they neither see nor may change unseen', async () => {
  const before = await Promise.all(RECORDS.map(({ address }) => call('admin', 'GET', `/${address}`)));
  for (const [caller, allowed] of Object.entries(SEEN)) {
    const known = [...allowed, ...(MAY_CHANGE[caller] ?? [])];
    for (const each of RECORDS.filter(({ word }) => !known.includes(word))) {
      const [type = '', id] = each.address.split('/');
      const body = record(each);
      const name = type === 'Patient' ? 'identifier' : type === 'Observation' ? 'code' : 'category';
      const statuses = await Promise.all([
        call(caller, 'DELETE', `/${each.address}`),
        call(caller, 'PUT', `/${each.address}`, { ...body, language: 'en' }),
        call(caller, 'DELETE', `/${type}?${name}=urn:words|${each.word}`),
        call(caller, 'POST', '/', {
          resourceType: 'Bundle',
          type: 'transaction',
          entry: [{ request: { method: 'DELETE', url: each.address } }],
        }),
        call(caller, 'POST', `/${each.address}/$validate?mode=delete`),
        call(caller, 'POST', `/${each.address}/$meta-add`, {
          resourceType: 'Parameters',
          parameter: [{ name: 'meta', valueMeta: { tag: [{ code: 'x' }] } }],
        }),
      ]);
      for (const { status, text } of statuses) {
        assert.notEqual(status, 500, text);
        assert.deepEqual(
          wordsIn(text).filter((word) => word === each.word),
          [],
          `${caller} ${each.address}: ${text.slice(0, 300)}`,
        );
      }
      assert.ok(id);
    }
  }
  const now = await Promise.all(RECORDS.map(({ address }) => call('admin', 'GET', `/${address}`)));
  assert.deepEqual(
    now.map(({ text }) => text),
    before.map(({ text }) => text),
  );
});

test('a key with narrow scopes writes, reads and searches what they name, and nothing else', async () => {
  const body = record(RECORDS[7]);
  const fresh = { ...body, id: 'fresh' };
  assert.equal((await call('narrow', 'PUT', '/Observation/fresh', fresh)).status, 403);
  assert.equal((await call('writer', 'PUT', '/Observation/fresh', fresh)).status, 201);
  assert.equal((await call('writer', 'PUT', '/Observation/fresh', { ...fresh, language: 'sv' })).status, 200);
  assert.equal((await call('writer', 'GET', '/Observation/fresh')).status, 403);
  assert.equal((await call('writer', 'GET', '/Observation')).status, 403);
  assert.equal((await call('writer', 'DELETE', '/Observation/fresh')).status, 403);
  assert.equal((await call('writer', 'PUT', '/Observation?code=urn:words|wordhhh', body)).status, 403);
  assert.equal((await call('narrow', 'GET', '/Observation/fresh')).status, 200);
  assert.equal((await call('narrow', 'GET', '/Patient')).status, 403);
});
