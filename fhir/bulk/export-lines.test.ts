// A page of lines holds what a page of rows holds, in the same order, and its patients are found without parsing all.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readResourceText } from '#fhir/resources/resource-text.ts';
import { createTestStore } from '#test/support/fhir/fhir-store.ts';
import { readExportLines } from './export-lines.ts';
import { type ExportQuery, readExportPage } from './export-page.ts';
import { newPatientsIn } from './patients-in-lines.ts';

const { store, db, clock, put } = await createTestStore({ after });
const guid = (index: number) => `019a0000-0000-7000-8000-${String(index).padStart(12, '0')}`;
const observation = (index: number, more: object = {}) => ({
  resourceType: 'Observation',
  id: guid(index),
  status: 'final',
  code: { text: 'Weight' },
  ...more,
});
const reading = { access: () => ({ kind: 'all' }) as const, parameters: store.parameters };

const remove = (index: number) =>
  db.transaction((tx) => store.delete(tx, { resourceType: 'Observation', id: guid(index), access: reading.access }));

/** Asks for both, and compares them; returns the ids of the lines. */
async function idsOf(query: Omit<ExportQuery, 'filters' | 'after'>): Promise<string[]> {
  const asked = { ...query, filters: [], after: null };
  const [lines, page] = [await readExportLines(db, asked, reading), await readExportPage(db, asked, reading)];
  const kept = page.versions.filter(({ isDeleted }) => !isDeleted);
  assert.equal(lines.texts.join(''), kept.map(({ content }) => `${content}\n`).join(''));
  assert.deepEqual([lines.resources, lines.scanned, lines.last], [kept.length, page.scanned, page.last]);
  if (query.since !== undefined) {
    assert.deepEqual(
      lines.deleted,
      page.versions.filter(({ isDeleted }) => isDeleted),
    );
  }
  return kept.map(({ id }) => id);
}

test('lines and rows agree on what is current, older, deleted and new', async () => {
  const begun = new Date(clock.time);
  clock.time += 1_000;
  for (let index = 1; index <= 6; index += 1) await put(observation(index));
  await remove(5);
  const at = new Date(clock.time);
  clock.time += 1_000;
  await put(observation(1, { status: 'amended' }));
  await remove(3);
  await put(observation(5, { status: 'amended' }));
  await put(observation(7));
  assert.deepEqual(await idsOf({ resourceType: 'Observation', at }), [1, 2, 3, 4, 6].map(guid));
  assert.deepEqual(await idsOf({ resourceType: 'Observation', at, since: begun }), [1, 2, 3, 4, 6].map(guid));
  const now = new Date(clock.time);
  assert.deepEqual(await idsOf({ resourceType: 'Observation', at: now }), [1, 2, 4, 5, 6, 7].map(guid));
  assert.deepEqual(await idsOf({ resourceType: 'Observation', at: now, since: at }), [1, 5, 7].map(guid));
  assert.deepEqual(await idsOf({ resourceType: 'Encounter', at: now }), []);
});

test('patients are found wherever they are named, the known ones without parsing', async () => {
  const of = (reference: string) => observation(1, { subject: { reference } });
  const lines = [
    of('Patient/a'),
    of(`${store.parameters.baseUrl}/Patient/b/_history/3`),
    observation(2, { subject: { reference: 'Group/g' }, derivedFrom: [{ reference: 'Patient/not-its-own' }] }),
    observation(3, { note: [{ text: 'Patient/c is not meant' }], subject: { reference: 'Patient/c' } }),
  ].map((resource) => JSON.stringify(resource));
  // These would fail to be parsed.
  lines.push('{"reference":"Patient/known"', '{"reference":"Patient/a"');
  lines.push(JSON.stringify(of('Patient/escaped')).replace('Patient/escaped', 'Pati\\u0065nt\\/escaped'));
  const asked: string[] = [];
  const findNew = async (ids: ReadonlySet<string>) => {
    asked.push(...ids);
    return new Set([...ids].filter((id) => !id.endsWith('known')));
  };
  const whole = lines.map((line) => `${line}\n`);
  const texts = [whole.slice(0, 2).join(''), whole.slice(2).join('')];
  const found = await newPatientsIn({ texts, patients: ['self', 'self-known'] }, findNew, reading);
  assert.deepEqual([...found].sort(), ['a', 'b', 'c', 'escaped', 'self']);
  assert.deepEqual(asked.sort(), ['a', 'b', 'c', 'known', 'not-its-own', 'self', 'self-known']);
});

test('other work goes on while a resource with millions of escapes is looked through', async () => {
  const text = `${JSON.stringify(observation(1)).replace('Weight', '\\/'.repeat(2_000_000))}\n`;
  let turns = 0;
  let isAsked = false;
  const turn = () => {
    turns += 1;
    if (!isAsked) setImmediate(turn);
  };
  setImmediate(turn);
  const findNew = async (ids: ReadonlySet<string>) => {
    isAsked = true;
    return ids;
  };
  const found = await newPatientsIn({ texts: [text], patients: [] }, findNew, reading);
  assert.ok(turns > 1, String(turns));
  assert.deepEqual([...found], []);
});

test('a resource that was written on several lines is one line', async () => {
  const written = JSON.stringify({ resourceType: 'Basic', code: { text: 'a\nb' } }, undefined, 2).replaceAll(
    '\n',
    '\r\n',
  );
  for (const text of [written, '{"resourceType":"Basic","code":{"text":"c"}}']) {
    await store.create(db, { source: readResourceText(text), organisation: null });
  }
  const query = { resourceType: 'Basic', at: new Date(clock.time), filters: [], after: null };
  const { texts, resources } = await readExportLines(db, query, reading);
  const codes = texts
    .join('')
    .split('\n')
    .map((line) => (line === '' ? 'end' : JSON.parse(line).code.text));
  assert.deepEqual([codes.sort(), resources], [['a\nb', 'c', 'end'], 2]);
});
