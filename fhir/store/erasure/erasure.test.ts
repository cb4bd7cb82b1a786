// Erasure of resources (docs/adr/0131): what is found by contents, page by page, and that what was erased is written by
// no way of the store.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readResourceText } from '#fhir/resources/resource-text.ts';
import { nameKey } from '#fhir/search/extract/keys.ts';
import { ServiceError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import { createTestStore } from '#test/support/fhir/fhir-store.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { ALL_ACCESS } from '../access.ts';
import { eraseResources } from './erase.ts';
import { type ErasureTarget, findErasable } from './find.ts';

const hooks = lastFirst({ after });
const { store, db, put } = await createTestStore(hooks);
const { parameters } = store;
const person = newGuid();
const other = newGuid();
const target: ErasureTarget = { patients: [person], resources: [], texts: ['194705179812'] };
const nameOf = ({ name }: { readonly name: string }) => name;

const observation = (id: string, patient: string, text = 'x') => ({
  resourceType: 'Observation',
  id,
  status: 'final',
  code: { text },
  subject: { reference: `Patient/${patient}` },
});

function erase(names: ErasureTarget) {
  return findErasable(db, names, { parameters }).then((found) =>
    db.transaction((tx) =>
      eraseResources(
        tx,
        { resources: found.own, versions: found.oldVersions },
        { erasureGuid: newGuid(), now: new Date(), isPersonal: (id) => id.includes('470517') },
      ),
    ),
  );
}

test('resources are distinguished by whose they are, in every version', async () => {
  await put({ resourceType: 'Patient', id: person, identifier: [{ value: '194705179812' }] });
  await put({ resourceType: 'Patient', id: other });
  const [own, deleted, moved, away] = [newGuid(), newGuid(), newGuid(), newGuid()];
  await put(observation(own, person));
  await put(observation(own, person, 'again'));
  await put(observation(deleted, person));
  await db.transaction((tx) => store.delete(tx, { resourceType: 'Observation', id: deleted, access: ALL_ACCESS }));
  await put(observation(moved, person, 'before'));
  await put(observation(moved, other, 'after'));
  await put(observation(away, other, 'before'));
  await put(observation(away, person, 'after'));
  const shared = newGuid();
  await put({ ...observation(shared, person), focus: [{ reference: `Patient/${other}` }] });
  const list = newGuid();
  const entry = [{ item: { reference: `Patient/${person}` } }];
  await put({ resourceType: 'List', id: list, status: 'current', mode: 'working', entry });
  const byNumber = newGuid();
  await put({ resourceType: 'Basic', id: byNumber, code: { text: 'of 194705179812' } });
  // Whose id begins with the person's is somebody else.
  const longer = newGuid();
  await put(observation(longer, `${person}0`));
  const found = await findErasable(db, target, { parameters });
  assert.deepEqual(
    new Set(found.own.map(nameOf)),
    new Set([`Patient/${person}`, ...[own, deleted, away].map((id) => `Observation/${id}`)]),
  );
  assert.deepEqual(found.shared.map(nameOf), [`Observation/${shared}`]);
  assert.deepEqual(
    found.oldVersions.map(({ name, version }) => [name, version]),
    [[`Observation/${moved}`, 1]],
  );
  assert.deepEqual(new Set(found.references.map(nameOf)), new Set([`List/${list}`, `Basic/${byNumber}`]));
  const erased = await erase(target);
  assert.deepEqual(erased.types['Observation'], { resources: 3, versions: 7 });
  assert.deepEqual((await findErasable(db, target, { parameters })).own, [], 'nothing is left to erase');
  assert.equal(
    (await store.history(db, { resourceType: 'Observation', id: moved, count: 10 }, ALL_ACCESS)).versions.length,
    1,
  );
});

test('what was erased is refused by single, many and bulk writes, read as gone, and found by no search', async () => {
  const id = newGuid();
  const address = { resourceType: 'Observation', id };
  await put(observation(id, other, 'erasable'));
  await erase({ patients: [], resources: [`Observation/${id}`], texts: [] });
  const isErased = (error: unknown) =>
    error instanceof ServiceError && error.code === 'deleted' && /has been erased/.test(error.message);
  const source = readResourceText(JSON.stringify(observation(id, other)));
  const input = { ...address, source, organisation: null, access: ALL_ACCESS };
  await assert.rejects(
    db.transaction((tx) => store.update(tx, input)),
    isErased,
  );
  const [many] = await db.transaction((tx) => store.updateMany(tx, [input], { busy: 'wait' }));
  assert.ok(isErased(many));
  const item = await store.prepareBulk({ source, id, organisation: null });
  const bulk = await db.transaction((tx) => store.writeBulk(tx, [item], () => true), { copies: true });
  assert.deepEqual([bulk.erased, bulk.updated, bulk.created], [[item], 0, 0]);
  await assert.rejects(store.read(db, address, ALL_ACCESS), isErased);
  await assert.rejects(store.vread(db, { ...address, version: 1 }, ALL_ACCESS), isErased);
  const again = await db.transaction((tx) => store.delete(tx, { ...address, access: ALL_ACCESS }));
  assert.equal(again, undefined, 'a deletion changes nothing');
  const { versions } = await store.history(db, { resourceType: 'Observation', id, count: 10 }, ALL_ACCESS);
  assert.deepEqual(
    versions.map(({ isDeleted, version }) => [isDeleted, version]),
    [[true, 2]],
  );
  const query = store.parse('Observation', [['code:text', 'erasable']]);
  assert.equal((await store.search(db, query, { access: ALL_ACCESS })).matches.length, 0);
  await assert.rejects(
    db.query('UPDATE fhir_resource SET deleted = false WHERE rid = $1', [id]),
    /erased is not written again/,
  );
});

test('an id that is itself a personnummer is not kept, and not used again', async () => {
  const id = '19470517-9812';
  await put(observation(id, other));
  await erase({ patients: [], resources: [`Observation/${id}`], texts: [] });
  const { rows } = await db.query("SELECT FROM fhir_resource r WHERE r::text LIKE '%470517-9812%'");
  assert.deepEqual(rows, []);
  await assert.rejects(put(observation(id, other)), ServiceError);
});

test('short ids are found whole, and long ones by themselves', async () => {
  await put({ resourceType: 'Patient', id: '7' });
  await put(observation('8', '7'));
  await put(observation('9', '77'));
  const found = await findErasable(db, { patients: ['7'], resources: ['Observation/8'], texts: [] }, { parameters });
  assert.deepEqual(found.own.map(nameOf).toSorted(), ['Observation/8', 'Patient/7']);
  assert.deepEqual([found.references, found.shared], [[], []]);
});

test('pages miss nothing, at their borders and in the history', async () => {
  const patient = newGuid();
  const type = nameKey('Observation');
  const insert = (table: string, version: number) =>
    db.query(
      `INSERT INTO ${table} (type, rid, version, updated_at, deleted, content)
       SELECT $1, overlay('00000000-0000-7000-8000-000000000000' PLACING lpad(n::text, 12, '0') FROM 25)::uuid, $2, now(), false,
         json_build_object('resourceType', 'Observation', 'subject', json_build_object('reference',
           'Patient/' || CASE WHEN n % 2500 IN (0, 1, 2499) THEN $3::text ELSE 'else' END))::text
       FROM generate_series(1, 12000) AS n`,
      [type, version, patient],
    );
  await insert('fhir_resource', 2);
  await insert('fhir_history', 1);
  const rows: number[] = [];
  const names = { patients: [patient], resources: [], texts: [] };
  const found = await findErasable(db, names, { parameters, onRows: (seen) => rows.push(seen) });
  assert.equal(found.own.length, 13);
  assert.ok(rows.length >= 4, 'there were several pages');
  const since = new Date(Date.now() + 60_000);
  assert.equal((await findErasable(db, names, { parameters, since })).own.length, 0);
});
