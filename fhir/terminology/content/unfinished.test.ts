// Regular expressions over many codes: long scans are finished in steps, and too costly ones are refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogOfResources } from '../catalog/table-catalog.ts';
import { conceptMapModel } from '../mapping/concept-map-model.ts';
import { countBits } from '../model/bitset.ts';
import { readCodeSystem } from '../model/read-code-system.ts';
import { TerminologyError } from '../terminology-error.ts';
import { sizeOfContent } from './content.ts';
import { createEvaluate } from './evaluate.ts';
import { filtered } from './filter.ts';
import { filterByText } from './text-filter.ts';
import { finished, UnfinishedWork } from './unfinished.ts';
import { NO_RULES } from './version-rules.ts';

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

/** A clock that advances by a fixed number of milliseconds at each reading. */
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

test('what an earlier run could not finish is finished first, and not begun again', async () => {
  const view = manyCodes();
  let asked = 0;
  const run = () => {
    asked += 1;
    return filtered(view, odd, clock(1));
  };
  const begun = unfinished(run);
  assert.deepEqual([countBits(await finished(run, begun)), asked], [500, 2]);
});

test('one over many is suspended, finished in steps, and then cached', async () => {
  const view = manyCodes();
  let asked = 0;
  const bits = await finished(() => {
    asked += 1;
    return filtered(view, odd, clock(1));
  });
  assert.deepEqual([countBits(bits), asked], [500, 2]);
  assert.equal(filtered(view, odd), bits);
});

test('two callers that wait for the same steps run them once', async () => {
  const work = unfinished(() => filtered(manyCodes(), odd, clock(1)));
  assert.equal(work.finish(), work.finish());
  await work.finish();
});

test('one that takes longer than ten seconds is too costly, with other callers or without', async () => {
  const work = unfinished(() => filtered(manyCodes(), odd, clock(60)));
  assert.equal(work.issue, 'too-costly');
  await assert.rejects(
    work.finish(),
    (error) =>
      error instanceof TerminologyError && error.issue === 'too-costly' && /1000 codes of urn:many/.test(error.message),
  );
});

test('a large pattern over a long value is too costly, and over short ones is not', () => {
  const large = '(x|y)*x(x|y){200}.*';
  assert.throws(
    () => filtered(manyCodes(), { property: 'size', op: 'regex', value: large }, clock(0)),
    (error) =>
      error instanceof TerminologyError && error.issue === 'too-costly' && /5000 characters/.test(error.message),
  );
  assert.equal(countBits(filtered(manyCodes(), { property: 'display', op: 'regex', value: large }, clock(0))), 0);
  assert.equal(countBits(filtered(manyCodes(), { property: 'size', op: 'regex', value: 'x+' }, clock(0))), 1000);
});

const codes = Array.from({ length: 3_000 }, (_, at) => ({ code: `c${at}`, display: at % 2 === 0 ? 'Even' : 'Odd' }));
const include = { system: 'urn:nowhere', concept: codes };
const valueSet = { resourceType: 'ValueSet', url: 'urn:v', compose: { include: [include] } };

test('a value set of many codes is suspended, finished in steps, and then cached, with version rules and without', async () => {
  const evaluate = createEvaluate(catalogOfResources([]));
  for (const rules of [NO_RULES, { ...NO_RULES, defaults: new Map([['urn:nowhere', '1']]) }]) {
    let asked = 0;
    const { content } = await finished(() => {
      asked += 1;
      return evaluate(valueSet, rules, clock(20));
    });
    assert.deepEqual([sizeOfContent(content), asked], [3_000, 2]);
    // Another object with the same rules, as in the next call of the same request.
    assert.equal(evaluate(valueSet, rules === NO_RULES ? rules : { ...rules }).content, content);
    asked = 0;
    const found = await finished(() => {
      asked += 1;
      return filterByText(content, 'odd', clock(20));
    });
    assert.deepEqual([sizeOfContent(found), asked], [1_500, 2]);
  }
});

test('a value set that is combined in steps has the same content as at once', async () => {
  const excluded = { resourceType: 'ValueSet', url: 'urn:x', compose: { include: [include], exclude: [include] } };
  const half = { system: 'urn:nowhere', concept: codes.slice(1_000) };
  const both = {
    ...valueSet,
    url: 'urn:both',
    compose: { include: [{ valueSet: ['urn:v'] }, { ...half, valueSet: ['urn:v'] }] },
  };
  const evaluate = createEvaluate(catalogOfResources([valueSet, both]));
  const sizes = [];
  for (const each of [both, excluded])
    sizes.push(sizeOfContent((await finished(() => evaluate(each, NO_RULES, clock(20)))).content));
  assert.deepEqual(sizes, [3_000, 0]);
});

test('a concept map of many codes is read in steps', async () => {
  const element = codes.map(({ code }) => ({ code, target: [{ code, relationship: 'equivalent' }] }));
  const map = { resourceType: 'ConceptMap', url: 'urn:m', group: [{ source: 'urn:a', target: 'urn:b', element }] };
  assert.ok(unfinished(() => conceptMapModel(map, clock(20))));
  const { groups } = await finished(() => conceptMapModel({ ...map }, clock(0)));
  assert.equal(groups[0]?.byTarget.size, 3_000);
  assert.equal((await finished(() => conceptMapModel(map, clock(20)))).groups[0]?.byCode.size, 3_000);
});
