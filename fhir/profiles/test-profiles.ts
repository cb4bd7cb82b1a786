// Test support: profiles written as differentials, and tests that a profile refuses or accepts a resource.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validateResource } from '../validation/validate.ts';
import { createCustomProfiles } from './custom.ts';
import type { ProfileRegistry } from './registry.ts';
import { readStructure, type Structure } from './snapshot/structure.ts';

export type Json = Record<string, unknown>;

export const EXAMPLE = 'http://example.org/fhir/StructureDefinition/';

/**
 * A profile from its name, type and the elements of its differential, each with its id first
 * (`Observation.component:a.code`).
 */
export function profileOf(
  name: string,
  base: string,
  elements: Readonly<Record<string, Json>>,
  more: Json = {},
): Structure {
  const type = base.startsWith(EXAMPLE) ? (Object.keys(elements)[0]?.split('.', 1)[0] ?? '') : base;
  const differential = Object.entries(elements).map(([id, rules]) => {
    const last = id.split('.').at(-1)?.split(':')[1];
    return { id, path: id.replace(/:[^.]*/g, ''), ...(last === undefined ? {} : { sliceName: last }), ...rules };
  });
  const structure = readStructure({
    resourceType: 'StructureDefinition',
    url: EXAMPLE + name,
    name,
    status: 'active',
    kind: type === 'Extension' ? 'complex-type' : 'resource',
    abstract: false,
    type,
    baseDefinition: base.startsWith(EXAMPLE) ? base : `http://hl7.org/fhir/StructureDefinition/${base}`,
    derivation: 'constraint',
    differential: { element: differential },
    ...more,
  });
  assert.ok(structure);
  return structure;
}

/** A registry of profiles; fails when one has a problem. */
export function registryOf(structures: readonly Structure[]): ProfileRegistry {
  const registry = createCustomProfiles();
  registry.replace(structures);
  for (const { url } of structures) assert.equal(registry.problemOf(url), undefined);
  return registry;
}

/**
 * [title, the profile's name, the resource, its issues as `place code` (`?` before a warning); none if it is accepted]
 */
export type ProfileCase = readonly [what: string, profile: string, resource: Json, issues: readonly string[]];

/** One test for each case: exactly these issues, each with a message that names the profile. */
export function testProfiled(registry: ProfileRegistry, cases: readonly ProfileCase[]): void {
  for (const [what, name, resource, issues] of cases) {
    test(`${issues.length === 0 ? 'accepted' : 'refused'}: ${what}`, () => {
      const url = name.includes(':') ? name : EXAMPLE + name;
      const meta = { profile: [url] };
      const found = validateResource({ ...resource, meta }, { profiles: registry });
      const actual = found.map(
        ({ field, code: issue, severity }) => `${severity === 'warning' ? '?' : ''}${field} ${issue}`,
      );
      assert.deepEqual(actual.sort(), [...issues].sort(), JSON.stringify(found, null, 1));
      for (const { message } of found) assert.match(message, /^[A-Z].*\S$/);
    });
  }
}
