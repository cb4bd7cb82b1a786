// Regular expressions over many codes: what is not found at once is found in steps, and what no step can bear is refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TerminologyFault } from '../fault.ts';
import { countBits } from '../model/bitset.ts';
import { readCodeSystem } from '../model/read-code-system.ts';
import { filtered } from './filter.ts';
import { finished, UnfinishedWork } from './unfinished.ts';

const concept = Array.from({ length: 1000 }, (_, index) => ({
  code: `c${index}`,
  display: index % 2 === 0 ? 'Even' : 'Odd',
  property: [{ code: 'size', valueString: 'x'.repeat(index === 0 ? 5000 : 1) }],
}));

function manyCodes() {
  const model = readCodeSystem({ resourceType: 'CodeSystem', url: 'urn:many', content: 'complete', concept });
  assert.ok(model !== undefined);
  return { model, supplements: [] };
}

/** A clock that goes on by so many milliseconds each time it is looked at. */
function clock(ms: number): () => number {
  let now = 0;
  return () => {
    now += ms;
    return now;
  };
}

const odd = { property: 'display', op: 'regex', value: 'O.d' };

function unfinished(run: () => unknown): UnfinishedWork {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof UnfinishedWork);
    return error;
  }
  assert.fail('it was finished');
}

test('a regular expression over few codes is found at once', () => {
  assert.equal(countBits(filtered(manyCodes(), odd, clock(0))), 500);
});

test('one over many is left off, finished in steps, and then kept', async () => {
  const view = manyCodes();
  let asked = 0;
  const bits = await finished(() => {
    asked += 1;
    return filtered(view, odd, clock(1));
  });
  assert.deepEqual([countBits(bits), asked], [500, 2]);
  assert.equal(filtered(view, odd), bits);
});

test('two who wait for the same steps have them done once', async () => {
  const work = unfinished(() => filtered(manyCodes(), odd, clock(1)));
  assert.equal(work.finish(), work.finish());
  await work.finish();
});

test('one that takes longer than ten seconds is too costly, with others waiting or none', async () => {
  const work = unfinished(() => filtered(manyCodes(), odd, clock(60)));
  assert.equal(work.issue, 'too-costly');
  await assert.rejects(
    work.finish(),
    (error) =>
      error instanceof TerminologyFault && error.issue === 'too-costly' && /1000 codes of urn:many/.test(error.message),
  );
});

test('a large pattern over a long value is too costly, and over short ones is not', () => {
  const large = '(x|y)*x(x|y){200}.*';
  assert.throws(
    () => filtered(manyCodes(), { property: 'size', op: 'regex', value: large }),
    (error) =>
      error instanceof TerminologyFault && error.issue === 'too-costly' && /5000 characters/.test(error.message),
  );
  assert.equal(countBits(filtered(manyCodes(), { property: 'display', op: 'regex', value: large })), 0);
  assert.equal(countBits(filtered(manyCodes(), { property: 'size', op: 'regex', value: 'x+' })), 1000);
});
