// How the consent gate reads consents and organisations from the FHIR store (D7).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTestStore } from '#test/support/fhir/fhir-store.ts';
import { migrations } from '../migrations.ts';
import { createConsentSource } from './source.ts';

const { store, db, put } = await createTestStore({ after }, undefined, migrations);
const source = createConsentSource(store);
const filesOf = async (patients: readonly string[]) => (await source.read(db, { patients, organisations: [] })).files;
const lineagesOf = async (organisations: readonly string[]) =>
  (await source.read(db, { patients: [], organisations })).lineages;

const consent = (id: string, patient: string, status = 'active') =>
  put({ resourceType: 'Consent', id, status, decision: 'permit', subject: { reference: patient } });

const organisation = (id: string, parent?: string) =>
  put({
    resourceType: 'Organization',
    id,
    name: id,
    ...(parent === undefined ? {} : { partOf: { reference: `Organization/${parent}` } }),
  });

test('each patient gets the active consents about them, and no others', async () => {
  await consent('c1', 'Patient/p1');
  await consent('c2', 'Patient/p1');
  await consent('c3', 'Patient/p2');
  await consent('c4', 'Patient/p1', 'inactive');
  await consent('c5', 'Patient/p9');
  const found = await filesOf(['p1', 'p2', 'p3']);
  const ids = Object.fromEntries(
    [...found].map(([patient, { consents }]) => [patient, consents.map(({ id }) => id).sort()]),
  );
  assert.deepEqual(ids, { p1: ['c1', 'c2'], p2: ['c3'], p3: [] });
});

test('more consents than a page holds are all read', async () => {
  for (let index = 0; index < 1005; index += 1) await consent(`many-${index}`, 'Patient/many');
  assert.equal((await filesOf(['many'])).get('many')?.consents.length, 1005);
});

test('a consent with more in its provisions than can be evaluated at once has no decision; what the gate does not read does not count', async () => {
  const long = (id: string, changes: object) =>
    put({
      resourceType: 'Consent',
      id,
      status: 'active',
      decision: 'permit',
      subject: { reference: 'Patient/long' },
      period: { start: '2026-01-01' },
      ...changes,
    });
  const provisions = (count: number) => Array.from({ length: count }, () => ({ period: { start: '2026-01-01' } }));
  await long('modest', { provision: provisions(1_600) });
  await long('immense', { provision: provisions(1_700) });
  await long('scanned', { sourceAttachment: [{ contentType: 'application/pdf', data: 'QUJD'.repeat(100_000) }] });
  const { consents = [] } = (await filesOf(['long'])).get('long') ?? {};
  assert.deepEqual(
    consents
      .map(({ id, decision, provision }) => [id, decision, provision?.length])
      .sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    [
      ['immense', undefined, undefined],
      ['modest', 'permit', 1_600],
      ['scanned', 'permit', undefined],
    ],
  );
  assert.deepEqual(consents.find(({ id }) => id === 'immense')?.period, { start: '2026-01-01' });
});

test('a lineage goes up to the top; it is incomplete when an organisation is not stored', async () => {
  await organisation('region');
  await organisation('hospital', 'region');
  await organisation('ward', 'hospital');
  await organisation('orphan', 'not-on-record');
  await put({ resourceType: 'Organization', id: 'vague', name: 'vague', partOf: { display: 'The region' } });
  const found = await lineagesOf(['ward', 'region', 'orphan', 'unknown', 'vague', 'no:id']);
  const guids = Object.fromEntries([...found].map(([guid, lineage]) => [guid, [...lineage.guids]]));
  assert.deepEqual(guids, {
    ward: ['ward', 'hospital', 'region'],
    region: ['region'],
    orphan: ['orphan', 'not-on-record'],
    unknown: ['unknown'],
    vague: ['vague', '?'],
    'no:id': ['no:id'],
  });
  const complete = [...found].filter(([, { isComplete }]) => isComplete).map(([guid]) => guid);
  assert.deepEqual(complete, ['ward', 'region']);
});

test('a circle and a hierarchy without end are not complete', async () => {
  await organisation('a', 'b');
  await organisation('b', 'a');
  for (let level = 0; level < 20; level += 1) await organisation(`deep-${level}`, `deep-${level + 1}`);
  const found = await lineagesOf(['a', 'deep-0', 'ward']);
  assert.deepEqual(
    [...found].map(([guid, { isComplete }]) => [guid, isComplete]),
    [
      ['a', false],
      ['deep-0', false],
      ['ward', true],
    ],
  );
});
