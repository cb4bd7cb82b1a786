// Consents of a person with merged patient records (D7): which count, which only object, and what is refused as it
// cannot be read.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ALL_ACCESS } from '#fhir/store/access.ts';
import type { Queryable } from '#lib/db/database.ts';
import { newGuid } from '#lib/guid.ts';
import { createTestStore, OWN_BASE } from '#test/support/fhir/fhir-store.ts';
import { pick, seeded } from '#test/support/random.ts';
import { migrations } from '../migrations.ts';
import { createSendingBench } from '../testing/sending-bench.ts';
import type { Consent } from './consent.ts';
import { decideSlowly, type LinkTable, personByHand, recipientByHand } from './slow-evaluator.test-support.ts';
import { createConsentSource } from './source.ts';

const { store, db, put } = await createTestStore({ after }, undefined, migrations);
const source = createConsentSource(store);
const [HOME, AWAY] = [newGuid(), newGuid()];

const link = (type: string, other: object) => ({ type, other });
const to = (id: string) => ({ reference: `Patient/${id}` });
async function patient(id: string, links: readonly object[] = [], organisation: string = HOME): Promise<void> {
  await put({ resourceType: 'Patient', id, ...(links.length === 0 ? {} : { link: links }) }, organisation);
  await put(
    { resourceType: 'Consent', id: `of-${id}`, status: 'active', decision: 'permit', subject: to(id) },
    organisation,
  );
}

/** The consents that count, those that only object, and whether these are all. */
async function fileOf(id: string): Promise<[string[], string[], boolean | undefined]> {
  const file = (await source.read(db, { patients: [id, 'somebody-else'], organisations: [] })).files.get(id);
  const ids = (consents: readonly Consent[] = []) => consents.map((consent) => consent.id.slice(3)).sort();
  return [ids(file?.consents), ids(file?.objections), file?.isComplete];
}

test('a merge named by the patient’s own record counts in full, at any distance and in any form of reference', async () => {
  await patient('s1');
  await patient('s2', [link('replaces', to('s1'))]);
  await patient('s3', [link('replaces', { reference: `${OWN_BASE}/Patient/s2/_history/1` })]);
  assert.deepEqual(await fileOf('s3'), [['s1', 's2', 's3'], [], true]);
  assert.deepEqual(await fileOf('s1'), [['s1'], ['s2', 's3'], true], 'what names another counts only against it');
  await patient('t1');
  await patient('t2', [link('replaced-by', to('t1'))]);
  assert.deepEqual(await fileOf('t2'), [['t1', 't2'], [], true]);
  assert.deepEqual(await fileOf('t1'), [['t1'], ['t2'], true]);
});

test('other links, and links of other organisations’ records, do not count', async () => {
  await patient('e1');
  await patient('e2', [link('seealso', to('e1')), link('refer', to('e1'))]);
  await patient('e3', [link('replaces', to('e1'))], AWAY);
  assert.deepEqual(await fileOf('e1'), [['e1'], [], true]);
  assert.deepEqual(await fileOf('e2'), [['e2'], [], true]);
  assert.deepEqual(await fileOf('e3'), [['e1', 'e3'], [], true]);
});

test('a replacing record that cannot be read leaves the person incomplete; a replaced one does not', async () => {
  const elsewhere = [
    'https://other.example/fhir/Patient/s1',
    'urn:uuid:01a1fc05-6859-7001-b762-d86647a21285',
    'RelatedPerson/s1',
  ];
  const unreadable = [
    ...elsewhere.map((reference) => ({ reference })),
    { identifier: { value: '1' } },
    to('nobody'),
    { display: 'x' },
  ];
  for (const [index, other] of unreadable.entries()) {
    await patient(`u${index}`, [link('replaced-by', other)]);
    assert.equal((await fileOf(`u${index}`))[2], false, JSON.stringify(other));
    await patient(`v${index}`, [link('replaces', other)]);
    assert.equal((await fileOf(`v${index}`))[2], true, JSON.stringify(other));
    await patient(`w${index}`);
    await patient(`x${index}`, [link('replaces', to(`w${index}`)), link('replaced-by', other)]);
    assert.equal((await fileOf(`w${index}`))[2], false, 'nor is one known whose successor has such a survivor');
  }
  await patient('gone');
  await patient('left', [link('replaced-by', to('gone'))]);
  assert.deepEqual(await fileOf('left'), [['gone', 'left'], [], true]);
  await db.transaction((tx) => store.delete(tx, { resourceType: 'Patient', id: 'gone', access: ALL_ACCESS }));
  assert.equal((await fileOf('left'))[2], false);
});

test('escaped element names are read, and circles of links end', async () => {
  await patient('c1');
  await patient('c2');
  const text = `{"resourceType":"Patient","id":"c1","\\u006cink":[{"type":"replaces","other":{"reference":"Patient/c2"}}]}`;
  await db.query(`UPDATE fhir_resource SET content = $1 WHERE id = 'c1'`, [text]);
  assert.deepEqual(await fileOf('c1'), [['c1', 'c2'], [], true]);
  await patient('c2', [link('replaces', to('c1'))]);
  assert.deepEqual(await fileOf('c1'), [['c1', 'c2'], [], true]);
});

test('a person with too many records is incomplete', async () => {
  for (let index = 0; index < 70; index += 1) await patient(`m${index}`, [link('replaced-by', to(`m${index + 1}`))]);
  await patient('m70');
  assert.equal((await fileOf('m0'))[2], false);
  assert.equal((await fileOf('m60'))[2], false, 'nor from the middle');
});

test('foreign records that link to a person, however many, make neither it nor others incomplete', async () => {
  await patient('victim');
  for (let index = 0; index < 150; index += 1) {
    await patient(`h${index}`, [link('replaced-by', to(`h${index + 1}`))], AWAY);
    if (index < 70)
      await patient(`i${index}`, [link('replaces', to('victim')), link('replaces', to(`h${index}`))], AWAY);
  }
  await patient('h150', [], AWAY);
  assert.deepEqual(await fileOf('victim'), [['victim'], [], true]);
  const read: string[] = [];
  const watched: Queryable = {
    query: async (statement, values) => {
      const answer = await db.query<never>(statement, values);
      read.push(...answer.rows.map((row) => JSON.stringify(row)));
      return answer;
    },
  };
  await source.read(watched, { patients: ['victim'], organisations: [] });
  assert.ok(read.some((row) => row.includes('of-victim')));
  assert.ok(!read.some((row) => row.includes('"i1"')), 'nor are they read');
  const { files } = await source.read(db, { patients: ['h0', 'victim', 's3'], organisations: [] });
  assert.deepEqual(
    ['h0', 'victim', 's3'].map((id) => files.get(id)?.isComplete),
    [false, true, true],
  );
  assert.equal(files.get('s3')?.consents.length, 3);
});

test('120 generated merges are decided in the database as the independent evaluator decides them', async (t) => {
  const bench = await createSendingBench({ after: t.after.bind(t) });
  const random = seeded(20_261_123);
  const zone = 'Europe/Stockholm';
  const seen = new Map<string, number>();
  for (let round = 0; round < 120; round += 1) {
    const provider = newGuid();
    const { id, patientGuid } = await bench.request([provider], 'none');
    const kept = [patientGuid, newGuid(), newGuid(), newGuid()];
    const links = generateLinks(random, kept);
    for (const each of kept) {
      const stated = links.filter(([from]) => from === each);
      const wire = stated.map(([, type, other]) =>
        link(type, other === undefined ? { identifier: { value: 'x' } } : to(other)),
      );
      const named = { name: [{ family: 'Ek' }], ...(wire.length === 0 ? {} : { link: wire }) };
      if (each !== patientGuid || wire.length > 0) await bench.put({ resourceType: 'Patient', id: each, ...named });
    }
    const consents = new Map(kept.map((each) => [each, generateConsents(random, provider)]));
    for (const [each, own] of consents)
      for (const consent of own)
        await bench.put({ resourceType: 'Consent', ...consent, id: newGuid(), subject: to(each) });
    await bench.call('planner', 'POST', `/api/v1/ServiceRequest/${id}/push`);
    const [match] = await bench.matches(id);
    const { own, others, isComplete } = personByHand(patientGuid, links, kept);
    const of = (ids: readonly string[]) => ids.flatMap((each) => consents.get(each) ?? []);
    const file = { consents: of(own), objections: of(others), isComplete };
    const question = { recipient: recipientByHand(provider, {}), at: bench.clock.time, zone };
    const isPermitted = decideSlowly(file, question, 'required');
    assert.equal(match?.status, isPermitted ? 'pushed' : 'pending', JSON.stringify({ patientGuid, links, file }));
    const outcome = `${match?.blockedReason ?? match?.status}${own.length > 1 || others.length > 0 ? ', merged' : ''}`;
    seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
  }
  for (const reason of ['consent_cannot_be_evaluated', 'consent_denied', 'consent_missing', 'pushed'])
    assert.ok((seen.get(`${reason}, merged`) ?? 0) > 3, `${reason}: ${JSON.stringify([...seen])}`);
});

function generateLinks(random: () => number, kept: readonly string[]): LinkTable {
  const types = ['replaced-by', 'replaced-by', 'replaces', 'replaces', 'seealso', 'refer'];
  return Array.from({ length: Math.floor(random() * 6) }, () => {
    const other = random() < 0.1 ? undefined : random() < 0.1 ? newGuid() : pick(random, kept);
    // Often the patient of the question, as most links would otherwise be about others.
    return [random() < 0.4 ? (kept[0] ?? '') : pick(random, kept), pick(random, types), other] as const;
  });
}

function generateConsents(random: () => number, provider: string): Consent[] {
  const decision = pick(random, ['permit', 'permit', 'permit', 'deny']);
  const exception = { actor: [{ reference: { reference: `Organization/${provider}` } }] };
  const consent = { id: 'g', status: 'active', decision, ...(random() < 0.3 ? { provision: [exception] } : {}) };
  return random() < 0.5 ? [] : [consent];
}
