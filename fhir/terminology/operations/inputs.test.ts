// Queries are read as URLSearchParams reads them.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { Inputs } from './inputs.ts';

/** The given parameters, in order. */
const given = (inputs: Inputs | undefined) => inputs?.without('');

it('a query is read as URLSearchParams reads it, or not at all', () => {
  const piece = fc.constantFrom('a', 'code', '=', '&', '+', '%20', '%C3%B6', 'ö', '%26', '%2B', '/', '?', '#', '.');
  const check = fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
    const query = pieces.join('');
    assert.deepEqual(given(Inputs.ofQueryText(query)), given(Inputs.ofQuery(new URLSearchParams(query))), query);
  });
  fc.assert(check, { numRuns: 2_000 });
});

it('what is no UTF-8 is not read', () => {
  for (const query of ['code=%', 'code=%zz', '%C3=1', 'a=1&b=%E0%A4%A']) {
    assert.equal(Inputs.ofQueryText(query), undefined, query);
  }
});

it('few and many parameters are found by their names alike', () => {
  for (const count of [2, 16, 17, 40]) {
    const named = Array.from({ length: count }, (_, number) => ({ name: `n${number}`, valueString: `v${number}` }));
    const inputs = new Inputs([...named, { name: 'n0', valueString: 'again' }, { name: 'empty', valueString: '' }]);
    assert.equal(inputs.text(`n${count - 1}`), `v${count - 1}`);
    assert.deepEqual(inputs.texts('n0'), ['v0', 'again']);
    assert.equal(inputs.has('other'), false);
    assert.equal(inputs.text('other'), undefined);
    assert.equal(inputs.text('empty'), undefined);
    assert.deepEqual(inputs.issues, []);
    assert.equal(inputs.text('n0'), 'v0');
    assert.deepEqual(
      inputs.issues.map(({ name }) => name),
      ['n0'],
      'it must be given once',
    );
    assert.deepEqual(
      inputs.namesBut(new Set(named.map(({ name }) => name)), () => false),
      ['empty'],
    );
  }
});
