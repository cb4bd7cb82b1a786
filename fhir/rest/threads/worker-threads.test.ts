// What threads say of a resource is what the main thread says of it. That is tested over official examples, what is
// left of them after random changes, and resources that claim profiles of users (docs/adr/0042).
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createCustomProfiles } from '#fhir/profiles/custom.ts';
import { fillSnapshot } from '#fhir/profiles/snapshot/snapshot-resource.ts';
import { EXAMPLE, profileOf } from '#fhir/profiles/test-profiles.ts';
import { readResourceText } from '#fhir/resources/resource-text.ts';
import { extractParameter, extractSearchValues } from '#fhir/search/extract/extract.ts';
import { loadSearchParameters } from '#fhir/search/parameters/definitions.ts';
import { createSearchOverlay, toSearchParameter } from '#fhir/search/parameters/overlay.ts';
import { isVersionVisible } from '#fhir/store/access.ts';
import { indexTexts } from '#fhir/store/index/index-tables.ts';
import type { Reader } from '#fhir/store/threads.ts';
import { selectCodes } from '#fhir/terminology/code-selection.ts';
import { createValidate } from '#fhir/validation/stored-validation.ts';
import { createSnapshot } from '../interactions/snapshot-result.ts';
import { createWorkerThreads } from './worker-threads.ts';

type Json = Record<string, unknown>;

const baseUrl = 'http://example.org/fhir';
const official = loadSearchParameters(baseUrl);
const { parameters, content } = createSearchOverlay(official);
const profiles = createCustomProfiles();
let slow: Promise<void> | undefined;
const valueSets = {
  find: (canonical: string) => {
    if (canonical.endsWith('/slow') && slow !== undefined) return 'it takes too long';
    return /codes$|slow$/.test(canonical) ? selectCodes('urn:test', ['a', 'b']) : undefined;
  },
  underWay: (canonical: string) => (canonical.endsWith('/slow') ? slow : undefined),
  hasCode: (_system: string, code: string) => code === 'of-a-later-edition',
};
const rule = (key: string, expression: string): Json => ({
  constraint: [{ key, severity: 'error', human: key, expression }],
});
profiles.replace([
  profileOf('base', 'Observation', {
    Observation: {},
    'Observation.code.text': { min: 1, ...rule('a', "matches('^(x+)+$')") },
  }),
  profileOf('slow', 'Observation', {
    Observation: {},
    'Observation.method': { binding: { strength: 'required', valueSet: 'http://example.org/ValueSet/slow' } },
  }),
  profileOf('derived', `${EXAMPLE}base`, {
    Observation: rule('b', "status != 'final' or value.exists()"),
    'Observation.method': { binding: { strength: 'required', valueSet: 'http://example.org/ValueSet/codes' } },
    'Observation.bodySite': { binding: { strength: 'required', valueSet: 'http://example.org/ValueSet/nowhere' } },
  }),
]);
const defined = { official, profiles, valueSets, terminologyGeneration: () => 0, parameters: content };
const workerThreads = createWorkerThreads({ baseUrl, size: 1, budgetMs: 600_000, defined });
after(() => workerThreads.close());
const validate = createValidate(official, { profiles, valueSets });

const folder = dirname(createRequire(import.meta.url).resolve('hl7.fhir.r5.examples/package.json'));
/** One of so many examples, and none that takes long by itself. */
const EVERY = 40;
const LONGEST = 100_000;

/** The same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** Takes something out, or puts another thing in its place. */
function mutate(value: unknown, random: () => number): void {
  if (typeof value !== 'object' || value === null) return;
  const names = Object.keys(value);
  const name = names[Math.floor(random() * names.length)];
  if (name === undefined) return;
  const held: unknown = Reflect.get(value, name);
  if (typeof held === 'object' && held !== null && random() < 0.7) mutate(held, random);
  else if (random() < 0.5) Reflect.deleteProperty(value, name);
  else Reflect.set(value, name, [[], {}, 'x y  z', 17, null, true, [held]][Math.floor(random() * 7)]);
}

async function compare(resource: Json): Promise<void> {
  const source = readResourceText(JSON.stringify(resource));
  assert.deepEqual(await workerThreads.check(source), validate(source.resource), source.text.slice(0, 400));
  const texts = indexTexts([extractSearchValues({ ...source.resource, id: 'own' }, parameters)]);
  const { texts: found, patients } = await workerThreads.index(source, 'own');
  assert.deepEqual(found, texts);
  assert.deepEqual(patients, extractSearchValues({ ...source.resource, id: 'own' }, parameters).patients);
}

test('examples, and what random changes leave of them, are checked and indexed alike', async () => {
  const files = readdirSync(folder).filter((name) => /^[A-Z].*\.json$/.test(name));
  const random = randomFrom(42);
  let compared = 0;
  for (let at = 0; at < files.length; at += EVERY) {
    const text = readFileSync(join(folder, files[at] ?? ''), 'utf8');
    const resource: Json = JSON.parse(text);
    if (text.length > LONGEST || typeof resource['resourceType'] !== 'string') continue;
    await compare(resource);
    for (let change = 0; change < 3; change += 1) {
      mutate(resource, random);
      if (typeof resource['resourceType'] === 'string') await compare(resource);
    }
    compared += 1;
  }
  assert.ok(compared > 30, `${compared} examples were compared`);
});

test('a thread waits for the codes of a value set that is being computed, and a required binding is checked', async () => {
  const method = { coding: [{ system: 'urn:test', code: 'c' }] };
  const meta = { profile: [`${EXAMPLE}slow`] };
  const observation = { resourceType: 'Observation', meta, status: 'final', code: { text: 'x' }, method };
  slow = delay(300).then(() => {
    slow = undefined;
  });
  const found = await workerThreads.check(readResourceText(JSON.stringify(observation)));
  assert.match(JSON.stringify(found), /must have a coding that is one of a, b/);
});

test('profiles and value sets of users are asked for, and asked for again when they are others', async () => {
  const claiming = (changes: Json): Json => ({
    resourceType: 'Observation',
    meta: { profile: [`${EXAMPLE}derived`, `${EXAMPLE}unknown`] },
    status: 'final',
    code: { text: 'xx' },
    ...changes,
  });
  const coded = (code: string) => ({ coding: [{ system: 'urn:test', code }] });
  for (const changes of [
    {},
    { valueInteger: 1 },
    { code: { text: `${'x'.repeat(50)}!` }, method: coded('c') },
    { method: coded('a'), bodySite: coded('a') },
  ])
    await compare(claiming(changes));
  assert.equal(
    workerThreads.checkNow(readResourceText(JSON.stringify(claiming({})))),
    undefined,
    'a thread is to validate it',
  );
  profiles.replace([profileOf('derived', 'Observation', { 'Observation.note': { max: '0' } })]);
  await compare(claiming({ note: [{ text: 'a' }] }));
  assert.ok(validate(claiming({ note: [{ text: 'a' }] })).some(({ field }) => field === 'Observation.note'));
});

test('editions of code systems that users have stored are asked for', async () => {
  for (const code of ['UNC', 'of-a-later-edition', 'unheard-of']) {
    const tag = [{ system: 'http://terminology.hl7.org/CodeSystem/v3-ActReason', code }];
    await compare({ resourceType: 'Patient', meta: { tag } });
  }
});

test('who sees a version, and what the index holds of it when it is read again, are the same', async () => {
  const patient = '01900000-0000-7000-8000-00000000aaaa';
  const other = '01900000-0000-7000-8000-00000000bbbb';
  const observationOf = (...patients: readonly string[]): Json => ({
    resourceType: 'Observation',
    id: 'own',
    status: 'final',
    code: { text: 'a b' },
    subject: { reference: `Patient/${patients[0]}` },
    performer: patients.slice(1).map((each) => ({ reference: `Patient/${each}` })),
  });
  const filter = { kind: 'any', filters: [{ kind: 'none' }, { kind: 'patient', patientGuid: patient }] } as const;
  for (const resource of [observationOf(patient), observationOf(other), observationOf(patient, other)]) {
    const version = { resourceType: 'Observation', id: 'own', content: JSON.stringify(resource), organisation: null };
    assert.equal(await workerThreads.isVisible(filter, version), isVersionVisible(filter, version, parameters));
    const again = await workerThreads.indexAgain(version.content, { kind: 'all', content: content() });
    assert.deepEqual(again.texts, indexTexts([extractSearchValues(resource, parameters)]));
  }
  const [branch] = official.forType('Observation').get('code')?.branches ?? [];
  assert.ok(branch);
  const parameter = {
    resourceType: 'Observation',
    code: 'own-code',
    url: 'urn:own-code',
    type: 'token',
    branches: [branch],
    targets: [],
  } as const;
  const text = JSON.stringify(observationOf(patient));
  const one = await workerThreads.indexAgain(text, { kind: 'one', parameter, content: content() });
  const wanted = extractParameter(JSON.parse(text), toSearchParameter(parameter), parameters);
  assert.deepEqual(one.texts, indexTexts([wanted]));
  assert.notDeepEqual(
    one.texts?.filter((each) => each !== undefined),
    [],
  );
});

test('the snapshot of a definition is made alike, and Parameters may name one', async () => {
  const definition = { resourceType: 'StructureDefinition', ...profileOf('snap', 'Observation', { Observation: {} }) };
  const source = readResourceText(
    JSON.stringify({ ...definition, id: 'snap', name: 'Snap', status: 'draft', kind: 'resource', abstract: false }),
  );
  const means = {
    validate: (resource: Json) => validate(resource),
    fill: (resource: Json) => fillSnapshot(resource, profiles),
  };
  const made = await workerThreads.snapshot({ text: source.text }, workerThreads.budget(undefined));
  assert.deepEqual(made, createSnapshot(source, means));
  const parametersText = JSON.stringify({
    resourceType: 'Parameters',
    parameter: [{ name: 'url', valueUri: 'urn:a' }],
  });
  assert.deepEqual(await workerThreads.snapshot({ text: parametersText }, workerThreads.budget(undefined)), {
    kind: 'named',
    url: 'urn:a',
  });
});

test('the expressions of one request share their time', async () => {
  const source = () => readResourceText(JSON.stringify({ resourceType: 'Patient', active: true }));
  const budget = workerThreads.budget('me');
  budget.work.leftMs = 0;
  await assert.rejects(workerThreads.check(workerThreads.share(source(), budget)), /given up/);
  assert.deepEqual(await workerThreads.check(source()), []);
});

test('nobody fills the threads by asking what may be seen, and a job in the background is never refused', async () => {
  const content = JSON.stringify({ resourceType: 'Patient', id: 'one' });
  const seen = (reader: Reader) =>
    workerThreads.isVisible(
      { kind: 'patient', patientGuid: 'one' },
      { resourceType: 'Patient', id: 'one', content, organisation: null },
      reader,
    );
  const many = (count: number, reader: Reader) => Array.from({ length: count }, () => seen(reader));
  const mine = Promise.allSettled(many(16, { owner: 'me' }));
  assert.deepEqual(await Promise.all([...many(2, { owner: 'other' }), ...many(30, { isPatient: true })]), [
    ...Array.from({ length: 32 }, () => true),
  ]);
  const refused = (await mine).filter(({ status }) => status === 'rejected');
  assert.ok(refused.length >= 7 && refused.length <= 8, `${refused.length} refused`);
});
