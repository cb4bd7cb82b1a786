// The patients whom a search names, also one that is refused and hence was never read by the parser of searches.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadSearchParameters } from '#fhir/search/parameters/definitions.ts';
import { namedPatients } from './named-patients.ts';

const parameters = loadSearchParameters('http://example.org/fhir');
const namedIn = (query: string) =>
  namedPatients({ query: new URLSearchParams(query), resourceType: 'Observation', compartment: undefined }, parameters);
const MEBI = 1024 * 1024;
const LONG_NAMES = ['a.', '_has:A:b:', 'a:b', ':', '.'].map((link) => link.repeat(MEBI / link.length));

test('a chain names the patient at its end, as far as search follows it', async () => {
  assert.deepEqual(await namedIn('patient=1&subject=Patient/2&subject:Patient._id=3&encounter.patient=4'), [...'1234']);
  assert.deepEqual(await namedIn('_has:Observation:performer:patient=5'), ['5']);
  assert.deepEqual(await namedIn(`${'encounter.'.repeat(8)}patient=1`), ['1']);
  assert.deepEqual(await namedIn(`${'encounter.'.repeat(9)}patient=1`), []);
  assert.deepEqual(await namedIn(`${'_has:Observation:encounter:'.repeat(9)}patient=1`), []);
});

test('who is named beside a name as long as a body is known all the same, at once', async () => {
  for (const name of LONG_NAMES) {
    const started = process.cpuUsage();
    assert.deepEqual(await namedIn(`${name}=Patient/2&patient=1`), ['2', '1']);
    const { user } = process.cpuUsage(started);
    assert.ok(user < 1_000_000, `${name.slice(0, 10)}: ${user} µs`);
  }
});

test('a hundred thousand values are read while others are served', async () => {
  let served = 0;
  const others = setInterval(() => {
    served += 1;
  }, 1);
  const named = await namedIn(`patient=${Array.from({ length: 100_000 }, (_, id) => id).join(',')}`);
  clearInterval(others);
  assert.equal(named.length, 100_000);
  assert.ok(served > 0);
});
