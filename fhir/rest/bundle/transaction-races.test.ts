// Transactions beside each other: about the same resources, by the same conditions, in any order.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Database } from '#lib/db/database.ts';
import { bundleOf, entryOf as entry, personOf as person } from '#test/support/fhir/bundle.ts';
import { startFhirRest } from '#test/support/fhir/fhir-rest.ts';
import { fhirPathPatch, patchOperation } from '#test/support/fhir/fhirpath-patch.ts';
import { fifty } from '#test/support/system/at-once.ts';

const { call, database } = await startFhirRest({ after }, ['Patient']);
const send = (entries: object[]) => call('POST', '/$transaction', { body: bundleOf('transaction', entries) });

/** Counts the transactions that the routes ask for, and how often their work is carried out again: after a deadlock. */
function countWork(of: { transaction: Database['transaction'] }) {
  const counts = { asked: 0, again: 0 };
  const transaction = of.transaction.bind(of);
  of.transaction = (work, options) => {
    counts.asked += 1;
    let isAgain = false;
    return transaction((tx) => {
      if (isAgain) counts.again += 1;
      isAgain = true;
      return work(tx);
    }, options);
  };
  return counts;
}
const total = async (query: string) => (await call('GET', `/${query}`)).body.total;

test('bundles about the same resources in different orders all succeed, one after the other', async () => {
  const ids = ['r1', 'r2', 'r3', 'r4', 'r5'];
  const turned = (by: number) => ids.map((_, index) => ids[(index * (by % 2 === 0 ? 1 : 4) + by) % ids.length] ?? '');
  const patch = (family: string) =>
    fhirPathPatch(
      patchOperation(
        'add',
        'Patient',
        { name: 'name', valueString: 'name' },
        { name: 'value', valueHumanName: { family } },
      ),
    );
  const race = (make: (id: string, round: number) => object) =>
    fifty((round) => send(turned(round).map((id) => make(id, round))));
  const counts = countWork(database);
  for (const answers of [
    await race((id) => entry('PUT', `Patient/${id}`, person(id, { id }))),
    await race((id, round) => entry('PATCH', `Patient/${id}`, patch(`f${round}`))),
    await race((id) => entry('PUT', `Patient?identifier=urn:t|${id}`, person(id))),
  ]) {
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  }
  // A circle of waiting would be ended by PostgreSQL, and one of its bundles carried out again.
  assert.ok(counts.asked >= 150);
  assert.equal(counts.again, 0);
  for (const id of ids) assert.equal((await call('GET', `/Patient/${id}`)).body.meta.versionId, '150');
});

test('thousands of conditions take no more locks than the database has, and exclude others with the same', async () => {
  const many = (from: number, length: number) =>
    Array.from({ length }, (_, index) =>
      entry('POST', 'Patient', person(`m${from + index}`), { ifNoneExist: `identifier=urn:t|m${from + index}` }),
    );
  const locks = async () => {
    const { rows } = await database.query<{ most: number }>(
      "SELECT coalesce(max(n), 0)::int AS most FROM (SELECT count(*) AS n FROM pg_locks WHERE locktype = 'advisory' GROUP BY pid) l",
    );
    return rows[0]?.most ?? 0;
  };
  let isRunning = true;
  let most = 0;
  const watching = (async () => {
    while (isRunning) most = Math.max(most, await locks());
  })();
  const answers = await Promise.all([send(many(0, 600)), send(many(300, 600)), send(many(500, 100))]);
  isRunning = false;
  await watching;
  for (const answer of answers) assert.equal(answer.status, 200, answer.text.slice(0, 500));
  assert.ok(most > 0 && most <= 201, `${most} locks`);
  for (const number of [0, 350, 550, 899]) assert.equal(await total(`Patient?identifier=urn:t|m${number}`), 1);
});
