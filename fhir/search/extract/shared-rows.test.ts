// Parameters that share rows: by the published definitions the wide one has every value of the narrow ones, and their
// bits do not change.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Branch } from '../parameters/compile-expression.ts';
import { loadSearchParameters, type SearchParameter } from '../parameters/definitions.ts';
import { rowsKey } from './derived-keys.ts';
import { SHARED_ROWS } from './shared-rows.ts';

const parameters = loadSearchParameters();
/** Types whose string parts are values of the whole type. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  HumanName: ['family', 'given'],
  Address: ['city', 'state', 'postalCode', 'country'],
};

function relations(): [wide: SearchParameter, narrow: SearchParameter][] {
  return [...parameters.resourceTypes].flatMap((type) =>
    Object.entries(SHARED_ROWS).flatMap(([code, codes]) => {
      const wide = parameters.forType(type).get(code);
      return codes.flatMap((each) => {
        const narrow = parameters.forType(type).get(each);
        return wide === undefined || narrow === undefined ? [] : [[wide, narrow] as [SearchParameter, SearchParameter]];
      });
    }),
  );
}

/**
 * Whether the second branch has all values of the first: by the same path with fewer conditions, or by the whole type
 * of a part.
 */
function covers([wideType = '', ...wide]: Branch, [type = '', ...path]: Branch): boolean {
  const isBelow = wide.every((step, place) => path[place] === step || path[place]?.split(/[?~^]/)[0] === step);
  if (!isBelow) return false;
  if (wideType === type) return wide.length === path.length;
  return type === 'string' && path.length === wide.length + 1 && (PARTS[wideType] ?? []).includes(path.at(-1) ?? '');
}

test('every value of a narrow parameter is a value of the wide parameter', () => {
  const found = relations();
  for (const [wide, narrow] of found) {
    const name = `${narrow.resourceType}.${narrow.code} in ${wide.code}`;
    assert.equal(wide.type, narrow.type, name);
    for (const branch of narrow.branches)
      assert.ok(
        wide.branches.some((each) => covers(each, branch)),
        name,
      );
    assert.equal(rowsKey(narrow), rowsKey(wide), name);
    assert.notEqual(narrow.shared?.bit, 0, name);
    assert.equal(wide.shared?.bit, 0, name);
  }
  assert.ok(found.length > 50, `only ${found.length}`);
});

test('no parameter shares the rows of two others, and each has a bit of its own', () => {
  const codes = Object.values(SHARED_ROWS).flat();
  assert.equal(new Set([...codes, ...Object.keys(SHARED_ROWS)]).size, codes.length + Object.keys(SHARED_ROWS).length);
  for (const [wide, narrow] of relations()) {
    const others = relations().filter(([each, other]) => rowsKey(each) === rowsKey(wide) && other.code !== narrow.code);
    for (const [, other] of others) assert.notEqual(other.shared?.bit, narrow.shared?.bit);
  }
});

test('the bits of stored rows keep their meaning', () => {
  // A change of these needs a migration of every index.
  const bits = ['family', 'given', 'email', 'phone', 'address-state'].map(
    (code) => parameters.forType('Patient').get(code)?.shared?.bit,
  );
  assert.deepEqual(bits, [1, 2, 1, 2, 8]);
  const codes = ['code', 'component-code', 'component-value-quantity'];
  assert.deepEqual(
    codes.map((code) => parameters.forType('Observation').get(code)?.shared?.bit),
    [1, 2, 2],
  );
});
