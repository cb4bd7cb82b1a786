// The codes of value sets that take long to compute: they are known when they are, whatever else is unfinished on the
// way.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogOfResources } from '#fhir/terminology/catalog/table-catalog.ts';
import { selectCodes } from '#fhir/terminology/code-selection.ts';
import { UnfinishedWork } from '#fhir/terminology/content/unfinished.ts';
import { TerminologyError } from '#fhir/terminology/terminology-error.ts';
import { createBoundValueSets } from './bound-codes.ts';

const CODES = selectCodes('urn:test', ['a']);
const SET = 'urn:set';

/** A catalog whose generation can be set. */
function changing() {
  let generation = 0;
  const catalog = catalogOfResources([]);
  return {
    catalog: {
      ...catalog,
      get generation() {
        return generation;
      },
    },
    change: () => {
      generation += 1;
    },
  };
}

test('a value set that comes upon unfinished work while it is finished is known in the end', async () => {
  let isKnown = false;
  let asked = 0;
  const inner = new UnfinishedWork('the filter takes too long', async () => {
    isKnown = true;
  });
  const outer = new UnfinishedWork('the value set takes too long', () => Promise.reject(inner));
  const sets = createBoundValueSets(changing().catalog, () => {
    asked += 1;
    if (isKnown) return CODES;
    throw outer;
  });
  assert.equal(sets.find(SET), 'the value set takes too long');
  assert.match(String(sets.find(SET)), /urn:set takes too long/);
  assert.equal(asked, 1);
  await sets.underWay(SET);
  assert.deepEqual([sets.find(SET), sets.underWay(SET), asked], [CODES, undefined, 2]);
});

test('one that is too costly altogether is not computed again until terminology changes', async () => {
  let asked = 0;
  const { catalog, change } = changing();
  const sets = createBoundValueSets(catalog, () => {
    asked += 1;
    throw new UnfinishedWork('it takes too long', async () => {
      throw new TerminologyError('too-costly', 'it takes far too long');
    });
  });
  assert.equal(sets.find(SET), 'it takes too long');
  await sets.underWay(SET);
  assert.deepEqual([sets.find(SET), sets.find(SET), asked], ['it takes far too long', 'it takes far too long', 1]);
  change();
  assert.equal(sets.find(SET), 'it takes too long');
  // What was computed of terminology that has changed meanwhile is not kept.
  change();
  await sets.underWay(SET);
  assert.equal(sets.find(SET), 'it takes too long');
  await sets.underWay(SET);
});
