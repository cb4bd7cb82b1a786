// A search of audit events that reads some of their months finds the same as one that reads all (docs/adr/0113). It is
// compared with a search in memory.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createAudit } from '#lib/audit/audit.ts';
import { timeOfGuid } from '#lib/guid.ts';
import { CALLERS, startTestEngine } from '#test/support/engine/engine.ts';
import { FILTERS, found, holdSearches, isIn, type Known, makeMonths, SORTS } from '../testing/events-of-months.ts';
import { dropMonth } from './retention.ts';

const engine = await startTestEngine({ after });
const { clock, database } = engine;
let known: readonly Known[] = [];

before(async () => {
  known = await makeMonths(engine);
});

for (const search of FILTERS)
  test(`${search[0]}: each page, in each order, with its total`, () => holdSearches(engine, known, search));

test('a month that is dropped is missed by nobody', async () => {
  const audit = createAudit({ database, clock, service: 'engine' });
  assert.ok(((await dropMonth({ database, audit }, '2024-03', { principal: CALLERS['admin'] })) ?? 0) > 0);
  const gone = known.filter(({ id }) => isIn(timeOfGuid(id), 2024, 2));
  assert.ok(gone.length > 0);
  const expected = known
    .filter((each) => each.patient === 'often' && !gone.includes(each))
    .sort(SORTS['&_sort=-date'])
    .map(({ id }) => id);
  const { ids } = await found(engine, 'patient=Patient/often&_sort=-date&_count=5');
  assert.deepEqual(ids, expected);
});
