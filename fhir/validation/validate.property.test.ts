// The validator never throws for any change of a resource, its errors have a place, and an accepted resource stays
// accepted after serialisation.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { r5Definitions } from '../definitions/definitions.ts';
import { readResourceText, spliceMeta } from '../resources/resource-text.ts';
import { hasErrors, validateResource } from './validate.ts';

const folder = dirname(createRequire(import.meta.url).resolve('hl7.fhir.r5.examples/package.json'));
const NAMES = [
  'Patient-example',
  'Observation-example',
  'Questionnaire-3141',
  'CarePlan-example',
  'ServiceRequest-example',
  'Bundle-bundle-transaction',
  'Consent-consent-example-basic',
  'PlanDefinition-options-example',
];
const TEXTS = NAMES.map((name) => readFileSync(join(folder, `${name}.json`), 'utf8'));

/** Any JSON value, and values that are special in FHIR. */
const VALUE = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(
    null,
    [],
    {},
    [null],
    [[]],
    '',
    '#',
    'Patient/1',
    { id: 'a' },
    { resourceType: 'Patient' },
    -1,
    Number.POSITIVE_INFINITY,
  ),
);

/** Walks down by the steps as far as the value goes and changes what it finds there. */
function mutate(
  value: unknown,
  steps: readonly number[],
  change: (holder: Record<string, unknown>, key: string) => void,
): void {
  let holder: unknown = value;
  for (const [index, step] of steps.entries()) {
    if (typeof holder !== 'object' || holder === null) return;
    const members = holder as Record<string, unknown>;
    const keys = Object.keys(members);
    const key = keys[step % Math.max(keys.length, 1)];
    if (key === undefined) return;
    const next = members[key];
    if (index === steps.length - 1 || typeof next !== 'object' || next === null) {
      change(members, key);
      return;
    }
    holder = next;
  }
}

function checkAnswer(resource: unknown): void {
  for (const issue of validateResource(resource)) {
    assert.ok(issue.message.length > 5);
    if (typeof resource === 'object' && resource !== null && !Array.isArray(resource)) {
      assert.match(issue.field ?? '', /^[A-Za-z]+/);
    }
  }
}

const STEPS = fc.array(fc.nat(1000), { minLength: 1, maxLength: 8 });

test('a changed example never crashes the validator', () => {
  type Change = (holder: Record<string, unknown>, key: string) => void;
  const put = (name: (key: string) => string, value: (old: unknown) => unknown): Change => {
    return (holder, key) => {
      holder[name(key)] = value(holder[key]);
    };
  };
  const same = (key: string): string => key;
  const change = fc.oneof(
    VALUE.map((value) => put(same, () => structuredClone(value))),
    fc.constant(put(same, () => undefined)),
    fc.constant(put(same, (old) => [old])),
    fc.constant(
      put(
        (key) => `_${key}`,
        (old) => old,
      ),
    ),
    fc.string().map((name) =>
      put(
        () => name,
        (old) => old,
      ),
    ),
  );
  const example = fc.nat(TEXTS.length - 1);
  fc.assert(
    fc.property(example, fc.array(fc.tuple(STEPS, change), { minLength: 1, maxLength: 4 }), (index, changes) => {
      const resource: unknown = JSON.parse(TEXTS[index] ?? '');
      for (const [steps, apply] of changes) mutate(resource, steps, apply);
      checkAnswer(resource);
      checkAnswer(JSON.parse(JSON.stringify(resource)));
    }),
    { numRuns: 2000 },
  );
});

test('any JSON under any element never crashes the validator', () => {
  const types = r5Definitions().resourceTypes;
  const resource = fc.nat(types.length - 1).chain((index) => {
    const type = types[index] ?? 'Basic';
    const names = [...(r5Definitions().shape(type)?.slots.keys() ?? [])];
    const members = fc.dictionary(fc.constantFrom(...names, ...names.map((name) => `_${name}`)), VALUE, { maxKeys: 8 });
    return members.map((each) => ({ ...each, resourceType: type }));
  });
  fc.assert(fc.property(resource, checkAnswer), { numRuns: 3000 });
});

test('a resource that nests too deep is refused', () => {
  for (const name of ['item', 'extension']) {
    let inner: unknown = {};
    for (let depth = 0; depth < 50_000; depth += 1) inner = { [name]: [inner] };
    const issues = validateResource({ resourceType: 'Questionnaire', status: 'draft', [name]: [inner] });
    assert.ok(issues.some(({ code: issueCode }) => issueCode === 'too-costly'));
  }
});

test('any value that is not a resource is refused', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => assert.ok(hasErrors(validateResource(value)))));
});

test('an example stays valid, and otherwise unchanged, once it has id and meta', () => {
  for (const text of TEXTS) {
    const spliced = spliceMeta(text, { id: 'a', versionId: '1', lastUpdated: '2026-11-21T10:00:00Z' });
    assert.deepEqual(
      validateResource(readResourceText(spliced).resource).filter((issue) => hasErrors([issue])),
      [],
    );
    const { id, meta, ...rest } = JSON.parse(spliced);
    const { id: _id, meta: before, ...original } = JSON.parse(text);
    assert.equal(id, 'a');
    assert.deepEqual(meta, { ...before, versionId: '1', lastUpdated: '2026-11-21T10:00:00Z' });
    assert.deepEqual(rest, original);
  }
});
