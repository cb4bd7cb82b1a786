// The model of a code system: it returns what was written, and the hierarchy has the results of a plain walk along the
// parents.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { addBit, addRange, andBits, countBits, emptyBitset, fullBitset, hasBit, members } from './bitset.ts';
import { MemoryColumns } from './columns/column-store.ts';
import { interleave } from './columns/interleaved-columns.ts';
import { Hierarchy } from './hierarchy.ts';
import { buildHierarchy } from './hierarchy-build.ts';
import { readCodeSystem } from './read-code-system.ts';
import { allOf } from './steps.ts';

describe('a code system in columns', () => {
  it('has the members of each concept in the resource', () => {
    const model = readCodeSystem({
      resourceType: 'CodeSystem',
      url: 'urn:c',
      content: 'complete',
      caseSensitive: false,
      property: [{ code: 'gone', uri: 'http://hl7.org/fhir/concept-properties#inactive', type: 'boolean' }],
      concept: [
        {
          code: 'Å1',
          display: 'Första 😀',
          definition: 'x'.repeat(300),
          designation: [{ language: 'en', use: { system: 'urn:u', code: 'short' }, value: 'First' }],
          property: [
            { code: 'gone', valueBoolean: true },
            { code: 'weight', valueDecimal: 1.5 },
            { code: 'like', valueCoding: { system: 'urn:c', code: 'b' } },
          ],
          concept: [{ code: 'b', property: [{ code: 'notSelectable', valueBoolean: true }] }],
        },
        { code: 'Å1', display: 'again' },
        { display: 'no code' },
      ],
    });
    assert.ok(model !== undefined);
    assert.equal(model.size, 2);
    assert.deepEqual([model.find('Å1'), model.find('b'), model.find('a'), model.find('')], [0, 1, -1, -1]);
    assert.deepEqual([model.findFolded('å1'), model.findFolded('B'), model.findFolded('c')], [0, 1, -1]);
    assert.deepEqual([model.code(0), model.display(0), model.display(1)], ['Å1', 'Första 😀', undefined]);
    assert.equal(model.definition(0), 'x'.repeat(300));
    assert.deepEqual(model.designations(0), [
      { language: 'en', use: { system: 'urn:u', code: 'short' }, value: 'First' },
    ]);
    assert.deepEqual(model.properties(0), [
      { code: 'gone', kind: 'boolean', value: 'true' },
      { code: 'weight', kind: 'decimal', value: '1.5' },
      { code: 'like', kind: 'Coding', value: '{"system":"urn:c","code":"b"}' },
    ]);
    const values: unknown[] = [];
    model.eachValue('like', (place, value) => values.push([place, value]));
    assert.deepEqual(values, [[0, 'b']]);
    assert.deepEqual([model.isInactive(0), model.isInactive(1)], [true, false]);
    assert.deepEqual([model.isAbstract(0), model.isAbstract(1)], [false, true]);
    assert.equal(model.hierarchy.isAtOrBelow(1, 0), true);
    assert.equal(model.hierarchy.isAtOrBelow(0, 1), false);
  });

  it('finds each of thousands of codes', () => {
    const concept = Array.from({ length: 5000 }, (_, index) => ({ code: `c${index}` }));
    const model = readCodeSystem({ resourceType: 'CodeSystem', url: 'urn:c', content: 'complete', concept });
    assert.ok(concept.every(({ code }, place) => model?.find(code) === place && model.code(place) === code));
    assert.equal(model?.find('c5000'), -1);
  });
});

/** The ancestors of each place and the place itself, by walking. */
function closureOf(size: number, edges: readonly (readonly [number, number])[]): ReadonlySet<number>[] {
  return Array.from({ length: size }, (_, start) => {
    const seen = new Set([start]);
    for (const place of seen) for (const [parent, child] of edges) if (child === place) seen.add(parent);
    return seen;
  });
}

const graphs = fc.integer({ min: 1, max: 40 }).chain((size) => {
  const place = fc.integer({ min: 0, max: size - 1 });
  const edges = fc.array(fc.tuple(place, place), { maxLength: 80 });
  return fc.tuple(fc.constant(size), edges, fc.boolean());
});

function builtHierarchy(size: number, above: Int32Array, below: Int32Array): Hierarchy {
  const store = new MemoryColumns();
  const links = { parents: () => [{ rows: below, items: above }], children: () => [{ rows: above, items: below }] };
  const shape = allOf(buildHierarchy(size, links, store));
  const columns = { ...store.finish(), codes: new Int32Array(size) };
  return new Hierarchy({ ...columns, ...interleave(columns), ...shape });
}

describe('a hierarchy', () => {
  it('decides subsumption of any two concepts, with many parents and in circles', () => {
    fc.assert(
      fc.property(graphs, ([size, drawn, mayCircle]) => {
        // Parents that come first form no circles.
        const edges = drawn
          .map(([a, b]): [number, number] => (mayCircle || a < b ? [a, b] : [b, a]))
          .filter(([a, b]) => a !== b);
        const column = (side: 0 | 1) => Int32Array.from(edges.map((edge) => edge[side]));
        const hierarchy = builtHierarchy(size, column(0), column(1));
        const above = closureOf(size, edges);
        for (let place = 0; place < size; place += 1) {
          const ancestors = emptyBitset(size);
          hierarchy.addAtOrAbove(place, ancestors);
          assert.deepEqual(
            members(ancestors),
            [...(above[place] ?? [])].sort((a, b) => a - b),
          );
          const below = emptyBitset(size);
          hierarchy.addAtOrBelow(place, below);
          const expected = above.flatMap((each, other) => (each.has(place) ? [other] : []));
          assert.deepEqual(members(below), expected);
          for (let other = 0; other < size; other += 1) {
            assert.equal(hierarchy.isAtOrBelow(place, other), above[place]?.has(other));
          }
        }
      }),
    );
  });
});

describe('the order of a hierarchy', () => {
  /** Depth first, as long as every concept is placed once, circles last. */
  function walked(size: number, edges: readonly (readonly [number, number])[]): number[] {
    const order = new Set<number>();
    const visit = (place: number): void => {
      if (order.has(place)) return;
      order.add(place);
      for (const [parent, child] of edges) if (parent === place) visit(child);
    };
    for (let place = 0; place < size; place += 1) if (!edges.some(([, child]) => child === place)) visit(place);
    for (let place = 0; place < size; place += 1) visit(place);
    return [...order];
  }

  it('sorts any set of concepts, and pages of the set, whether few or nearly all', () => {
    const sets = fc.tuple(fc.integer({ min: 0, max: 80 }), fc.nat(50), fc.nat(50));
    fc.assert(
      fc.property(graphs, sets, ([drawnSize, drawn], [share, offset, limit]) => {
        // Enough concepts that some sets are less than one in thirty-two.
        const size = drawnSize + 60;
        const edges = drawn.filter(([a, b]) => a !== b);
        const column = (side: 0 | 1) => Int32Array.from(edges.map((edge) => edge[side]));
        const bits = emptyBitset(size);
        for (let place = 0; place < size; place += 1) if ((place * 37) % 80 < share) addBit(bits, place);
        const expected = walked(size, edges).filter((place) => hasBit(bits, place));
        const hierarchy = builtHierarchy(size, column(0), column(1));
        const count = expected.length;
        assert.deepEqual(hierarchy.inOrder(bits, { count, offset: 0, limit: Number.POSITIVE_INFINITY }), expected);
        const page = hierarchy.inOrder(bits, { count, offset, limit });
        assert.deepEqual(page, expected.slice(offset, offset + limit));
      }),
    );
  });
});

describe('sets of concepts', () => {
  it('count, range and page as lists do', () => {
    const range = fc.tuple(fc.integer({ min: 0, max: 199 }), fc.integer({ min: 0, max: 199 }));
    fc.assert(
      fc.property(range, range, fc.nat(50), fc.nat(50), ([a, b], [c, d], offset, limit) => {
        const [one, other] = [emptyBitset(200), emptyBitset(200)];
        addRange(one, a, b);
        addRange(other, c, d);
        const both = andBits(one, other);
        const expected = Array.from({ length: 200 }, (_, at) => at).filter(
          (at) => at >= a && at <= b && at >= c && at <= d,
        );
        assert.equal(countBits(both), expected.length);
        assert.deepEqual(members(both, offset, limit), expected.slice(offset, offset + limit));
      }),
    );
    assert.equal(countBits(fullBitset(70)), 70);
  });
});
