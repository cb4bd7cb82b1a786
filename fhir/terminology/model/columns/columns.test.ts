// Columns that are stored and read again give the same results. The word index finds what a linear search of all names
// finds; and a large code system stays within its memory limit.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { asConcept, codeOf, generateConcepts, largeHead, largeJson } from '#test/support/engine/large-code-system.ts';
import type { Json } from '../../json.ts';
import { members } from '../bitset.ts';
import { CodeSystemModel, type Columns, type ColumnsHead } from '../code-system-model.ts';
import { readColumns } from '../read-code-system.ts';
import { wordsOf } from '../word-columns.ts';
import { setWithPrefix } from '../word-index.ts';
import { packedHead, packedPieces, unpack } from './columns.ts';
import { interleave, isInterleaved } from './interleaved-columns.ts';

function columnsOf(resource: Json, withWords = true): Columns {
  const columns = readColumns(resource, withWords);
  assert.ok(columns !== undefined);
  return columns;
}

const large = (size: number): Columns => columnsOf(JSON.parse([...largeJson(size)].join('')));

function repacked(columns: Columns, size: number): Columns {
  const unpacking = unpack<ColumnsHead>(JSON.parse(JSON.stringify(packedHead(columns))));
  for (const piece of packedPieces(columns, size)) unpacking.add(piece);
  return unpacking.finish();
}

describe('columns', () => {
  it('are read again from pieces of any size', () => {
    const columns = large(500);
    const model = new CodeSystemModel(columns);
    for (const size of [1, 7, 4096, 1 << 20]) {
      const again = new CodeSystemModel(repacked(columns, size));
      assert.deepEqual(again.meta, JSON.parse(JSON.stringify(model.meta)));
      for (let place = 0; place < model.size; place += 37) {
        assert.equal(again.find(model.code(place)), place);
        // An absent member of a designation is undefined in the one and missing in the other.
        assert.equal(JSON.stringify(again.designations(place)), JSON.stringify(model.designations(place)));
        assert.deepEqual(again.properties(place), model.properties(place));
        assert.equal(again.hierarchy.isAtOrBelow(place, 0), true);
      }
      assert.deepEqual(members(setWithPrefix(again, 'frac')), members(setWithPrefix(model, 'frac')));
    }
  });

  it('have the same numbers side by side', () => {
    const columns = large(300);
    const rows = interleave(columns);
    for (const name of Object.keys(rows).filter(isInterleaved)) {
      const found = Array.from({ length: rows[name].length }, (_, row) => rows[name].at(row));
      assert.deepEqual(found, Array.from(columns[name]), name);
    }
  });

  it('with missing or extra bytes are refused', () => {
    const columns = large(50);
    const pieces = [...packedPieces(columns, 100)];
    const short = unpack(packedHead(columns));
    for (const piece of pieces.slice(1)) short.add(piece);
    assert.throws(() => short.finish(), /fewer bytes/);
    const long = unpack(packedHead(columns));
    for (const piece of pieces) long.add(piece);
    assert.throws(() => long.add(new Uint8Array(1)), /more bytes/);
  });

  it('of a large code system take at most 400 bytes a code, with two designations each and all words', () => {
    const size = 40_000;
    const columns = large(size);
    assert.equal(columns.codes.length, size);
    assert.equal(columns.designationValues.length, size * 2);
    const { byteLength } = new CodeSystemModel(columns);
    assert.ok(byteLength / size <= 400, `${byteLength / size} bytes`);
  });

  it('of a large code system hold its twelve levels', () => {
    const made = [...generateConcepts(20_000)];
    const model = new CodeSystemModel(large(20_000));
    assert.equal(Math.max(...made.map(({ level }) => level)), 12);
    assert.equal(new Set(made.map(({ code }) => code)).size, made.length);
    for (const { code, parent, secondParent } of made) {
      const above = Array.from(model.hierarchy.parentsOf(model.find(code)), (place) => model.code(place));
      const wanted = [parent, secondParent].filter((each) => each !== undefined && each !== code);
      assert.deepEqual(above, [...new Set(wanted)], code);
      assert.ok(above.every((each) => model.hierarchy.isAtOrBelow(model.find(code), model.find(each))));
    }
  });

  it('of a case-insensitive system find codes in any case', () => {
    const concept = Array.from({ length: 300 }, (_, index) => ({ code: `Kod-Å${index}` }));
    const model = new CodeSystemModel(
      columnsOf({ url: 'urn:c', content: 'complete', caseSensitive: false, concept: [...concept, { code: 'kod-å7' }] }),
    );
    assert.deepEqual(
      ['KOD-å299', 'kod-Å7', 'kod'].map((code) => model.findFolded(code)),
      [299, 7, -1],
    );
    const exact = new CodeSystemModel(columnsOf({ url: 'urn:c', content: 'complete', concept }));
    assert.equal(exact.findFolded('KOD-å299'), -1);
  });

  it('keep a parent that comes later, and concepts with both parent and child properties', () => {
    const concept = [...generateConcepts(300)].map((made) => asConcept(made, true)).reverse();
    const model = new CodeSystemModel(columnsOf({ ...largeHead(), concept }));
    assert.equal(model.hierarchy.isAtOrBelow(model.find(codeOf(299)), model.find(codeOf(0))), true);
  });
});

describe('the words of names', () => {
  const name = fc.oneof(
    fc.array(fc.constantFrom('Åsa', 'asa', 'ASB', 'b', 'bä', 'c-9', '9', '—', '中文', 'ﬁn', '😀', ' ', ', '), {
      maxLength: 6,
    }),
    fc.array(fc.string({ maxLength: 4, unit: 'binary' }), { maxLength: 3 }),
  );
  const concepts = fc.array(fc.record({ display: name, designations: fc.array(name, { maxLength: 2 }) }), {
    minLength: 1,
    maxLength: 30,
  });

  it('find the concepts that a linear search of all names finds', () => {
    fc.assert(
      fc.property(
        concepts,
        fc.constantFrom('a', 'as', 'asa', 'b', 'ba', '9', '中', 'fi', 'c', 'x', '中文文'),
        (made, wanted) => {
          const concept = made.map(({ display, designations }, index) => ({
            code: `k${index}`,
            display: display.join(' ') || undefined,
            designation: designations.map((each) => ({ value: each.join(' ') })),
          }));
          const model = new CodeSystemModel(columnsOf({ url: 'urn:c', content: 'complete', concept }));
          const expected = concept.flatMap(({ code, display, designation }, place) => {
            const words = [code, display ?? '', ...designation.map(({ value }) => value)].flatMap(wordsOf);
            return words.some((word) => word.startsWith(wanted)) ? [place] : [];
          });
          assert.deepEqual(members(setWithPrefix(model, wanted)), expected);
        },
      ),
    );
  });
});
