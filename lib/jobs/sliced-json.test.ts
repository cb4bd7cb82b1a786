// Parsing in slices gives what JSON.parse gives, and refuses what it refuses: over random values, whose texts are long,
// and changes of their texts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseExactJson } from '#fhir/json/exact-json.ts';
import { parseInSlices } from './sliced-json.ts';

const key = fc.constantFrom('a', '__proto__', '7', 'length', 'b"\\', 'å', 'constructor', 'long');
const leaf = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom('', '"', '\\', ',]}', '\u2028'),
);
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    leaf,
    fc.array(tie('tree'), { maxLength: 6 }),
    fc.array(fc.tuple(key, tie('tree')), { maxLength: 6 }).map((members) => Object.fromEntries(members)),
  ),
}));

/** Some place of a value is made as long as several runs. */
function grown(value: unknown, times: number, isIndented: boolean): string {
  const many = Array.from({ length: times }, () => value);
  const whole = {
    first: value,
    list: many,
    in: { deep: [{ members: Object.fromEntries(many.map((each, at) => [`m${at}`, each])) }] },
    last: [many],
  };
  return JSON.stringify(whole, undefined, isIndented ? 1 : undefined);
}

const texts = fc
  .tuple(tree, fc.integer({ min: 1, max: 1_500 }), fc.boolean())
  .map(([value, times, isIndented]) => grown(value, times, isIndented));

function plain(text: string): { value: unknown } | { isRefused: true } {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { isRefused: true };
  }
}

async function sliced(text: string): Promise<{ value: unknown } | { isRefused: true }> {
  try {
    return { value: await parseInSlices(text) };
  } catch (error) {
    assert.ok(error instanceof SyntaxError, String(error));
    return { isRefused: true };
  }
}

test('long texts are parsed as by JSON.parse', async () => {
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      assert.deepEqual(await sliced(text), plain(text));
    }),
    { numRuns: 30 },
  );
});

test('invalid JSON is refused, wherever the error is', async () => {
  const change = fc.tuple(
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.integer({ min: 0, max: 2 }),
    fc.constantFrom(...',:[]{}"1 \\x'),
  );
  await fc.assert(
    fc.asyncProperty(texts, fc.array(change, { minLength: 1, maxLength: 2 }), async (text, changes) => {
      let changed = text;
      for (const [place, removed, added] of changes) {
        const at = Math.floor(place * changed.length);
        changed = changed.slice(0, at) + added + changed.slice(at + removed);
      }
      assert.deepEqual(await sliced(changed), plain(changed));
    }),
    { numRuns: 60 },
  );
});

test('separators that are missing, double or left over are refused between runs too', async () => {
  const run = Array.from({ length: 20_000 }, (_, index) => index).join();
  const whole = `{"a":[${run}],"b":{"c":[${run}]}}`;
  assert.deepEqual(await sliced(whole), plain(whole));
  for (const text of [
    `[[${run}] [${run}]]`,
    `[[${run}],,[${run}]]`,
    `[,${run}]`,
    `[${run},]`,
    `[[${run}],]`,
    `[1[${run}]]`,
    `{"a":1 "b":[${run}]}`,
    `{"a":[${run}]"b":1}`,
    `{[${run}]}`,
    `{"a":[${run}],}`,
    `{"a" 1:[${run}]}`,
    `[${run}]]`,
    `[${run}`,
    `[${run}}`,
    `[${run}] 1`,
    `1 [${run}]`,
    `[${run}][${run}]`,
    `["${run}`,
  ])
    assert.deepEqual(await sliced(text), { isRefused: true }, text.slice(0, 20));
});

test('numbers keep their digits where the runs are parsed so', async () => {
  const text = `[${Array.from({ length: 20_000 }, () => '1.0').join()}]`;
  assert.equal(JSON.stringify(await parseInSlices(text, { parse: parseExactJson })), text);
});

test('the event loop is free while a long text is parsed', async () => {
  let turns = 0;
  const count = setInterval(() => (turns += 1), 1);
  await parseInSlices(`[${Array(1_500_000).fill('{}').join()}]`);
  clearInterval(count);
  assert.ok(turns > 2, `${turns} turns`);
});
