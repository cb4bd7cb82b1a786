// Mutants: the same for the same seed, of every family as many, each different from its example in one named way.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seeded } from '#test/support/random.ts';
import { readBases } from './bases.ts';
import { type Base, FAMILIES, makeMutants } from './mutations.ts';
import { placesOf } from './places.ts';

const bases: readonly Base[] = readBases(12);

test('a seed makes the same mutants, of every family about as many, each but once', () => {
  const mutants = makeMutants(bases, 130, seeded(7));
  assert.deepEqual(makeMutants(bases, 130, seeded(7)), mutants);
  assert.notDeepEqual(makeMutants(bases, 130, seeded(8)), mutants);
  assert.equal(mutants.length, 130);
  assert.equal(new Set(mutants.map(({ text }) => text)).size, 130);
  const counts = Map.groupBy(mutants, ({ family }) => family);
  for (const family of Object.keys(FAMILIES)) {
    const { length = 0 } = counts.get(family) ?? [];
    assert.ok(length >= 5 && length <= 13, `${family}: ${length}`);
  }
});

test('a mutant is one line of JSON, names its mutation and its place, and differs from its example', () => {
  const texts = new Map(bases.map(({ name, text }) => [name, text]));
  for (const { base, family, mutation, place, text } of makeMutants(bases, 130, seeded(3))) {
    assert.ok(Object.hasOwn(FAMILIES[family] ?? {}, mutation), mutation);
    assert.match(place, /^[A-Z]\w+(?:\.|\[|$)/);
    assert.ok(!text.includes('\n') && typeof JSON.parse(text) === 'object');
    assert.notEqual(text, texts.get(base));
  }
});

test('numbers are written as the mutation says', () => {
  const seen = new Set<string>();
  for (let seed = 1; seed < 60; seed += 1) {
    const resource = { resourceType: 'Patient', telecom: [{ system: 'phone', value: '1', rank: 7 }] };
    FAMILIES['primitives']?.['odd positiveInt']?.(placesOf(resource, seeded(seed)));
    seen.add(JSON.stringify(resource.telecom[0]).replace(/.*"rank":/, ''));
  }
  for (const written of ['1.0}', '1e2}', '0}', '"1"}']) assert.ok(seen.has(written), written);
});

test('places know their definitions, in contained resources too', () => {
  const { members, objects } = placesOf(
    {
      resourceType: 'Patient',
      contained: [{ resourceType: 'Organization', id: 'o', name: 'O' }],
      deceasedBoolean: true,
      contact: [{ name: { family: 'A' } }],
    },
    seeded(1),
  );
  assert.deepEqual(
    objects.map(({ path, shape }) => `${path} ${shape.path}`),
    [
      'Patient Patient',
      'Patient.contained[0] Organization',
      'Patient.contact[0] Patient.contact',
      'Patient.contact[0].name HumanName',
    ],
  );
  const found = members.find(({ name }) => name === 'deceasedBoolean');
  assert.deepEqual([found?.slot.element.isChoice, found?.slot.type.code], [true, 'boolean']);
  assert.equal(members.find(({ path }) => path === 'Patient.contained[0].name')?.resource['id'], 'o');
});
