import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createSlices } from '../../jobs/slices.ts';
import {
  countMembers,
  countMembersInSlices,
  fhirLimitsFor,
  type JsonLimits,
  JsonMeter,
  requireJsonLimitsInSlices,
  requireModestJson,
} from './json-limits.ts';

const ENDLESS: JsonLimits = { depth: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY };

/** The same counts, taken from the parsed value. */
function measure(value: unknown): { depth: number; values: number; members: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, values: 0, members: 0 };
  const inner = Object.values(value).map(measure);
  const isList = Array.isArray(value);
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    // An object or list, and the commas between its items.
    values: 1 + Math.max(0, inner.length - 1) + inner.reduce((sum, each) => sum + each.values, 0),
    members: (isList ? 0 : inner.length) + inner.reduce((sum, each) => sum + each.members, 0),
  };
}

const isRefused = (bytes: Uint8Array, limits: JsonLimits): boolean => {
  try {
    requireModestJson(bytes, limits);
    return false;
  } catch {
    return true;
  }
};

test('the meter counts the same as a parser, in whatever pieces the bytes come', () => {
  const texts = fc.tuple(fc.json({ stringUnit: 'binary' }), fc.constantFrom(undefined, 2));
  fc.assert(
    fc.property(texts, fc.array(fc.nat(400), { maxLength: 6 }), ([json, indent], cuts) => {
      const value: unknown = JSON.parse(json);
      const bytes = Buffer.from(JSON.stringify(value, undefined, indent));
      const { depth, values, members } = measure(value);
      assert.equal(requireModestJson(bytes, ENDLESS), members);
      assert.equal(countMembers(value), members);
      assert.ok(!isRefused(bytes, { depth, values: values + 1 }));
      assert.ok(depth === 0 || isRefused(bytes, { ...ENDLESS, depth: depth - 1 }));
      assert.ok(values === 0 || isRefused(bytes, { ...ENDLESS, values }));
      const meter = new JsonMeter({ depth, values: values + 1 });
      const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
      for (const [index, place] of places.entries()) meter.take(bytes.subarray(places[index - 1] ?? 0, place));
      assert.equal(meter.members, members);
    }),
    { numRuns: 200 },
  );
});

test('a long body is counted the same in slices', async () => {
  const value = Array.from({ length: 30_000 }, (_, index) => ({ [`a${index}`]: [{ b: '"[,' }, null, {}] }));
  const bytes = Buffer.from(JSON.stringify(value));
  assert.equal(await requireJsonLimitsInSlices(bytes, ENDLESS, createSlices()), 60_000);
  assert.equal(await countMembersInSlices(value, createSlices()), 60_000);
  assert.equal(await countMembersInSlices('text', createSlices()), 0);
  const refused = requireJsonLimitsInSlices(bytes, { depth: 2, values: 1e9 }, createSlices());
  await assert.rejects(refused, /nests deeper than 2 levels/);
});

test('a refusal names the limit, and comes at the byte that exceeds it', () => {
  const deep = Buffer.from('['.repeat(50));
  assert.throws(() => requireModestJson(deep, { depth: 49, values: 100 }), /nests deeper than 49 levels/);
  assert.throws(() => requireModestJson(Buffer.from('[1,2,3]'), { depth: 9, values: 3 }), /more than 3 members/);
  // The rest is not read, and is no JSON.
  assert.throws(() => requireModestJson(Buffer.from('[[["'), { depth: 2, values: 100 }), /deeper/);
});

test('brackets and commas in strings are not counted', () => {
  for (const text of ['"[[[,,,"', '"\\"[[,"', '"\\\\"', '{"a,b":"]"}'])
    assert.ok(!isRefused(Buffer.from(text), { depth: 1, values: 2 }), text);
});

test('a larger body may hold more', () => {
  assert.equal(fhirLimitsFor(1000).values, 200_000);
  assert.equal(fhirLimitsFor(10 * 1024 * 1024).values, 2_000_000);
});
