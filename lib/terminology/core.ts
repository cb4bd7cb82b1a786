// The code systems and value sets of R5 itself (made by scripts/compile-terminology.ts from hl7.fhir.r5.core): read from disk when the first
// is asked for.
import { readFileSync } from 'node:fs';
import type { Json } from './json.ts';

type Resources = Readonly<Record<string, Json>>;

const loaded = new Map<string, Resources>();
const FILES = { CodeSystem: 'r5-code-systems.json', ValueSet: 'r5-value-sets.json' } as const;

/** The resource with this URL, or none. */
export function coreResources(resourceType: keyof typeof FILES, url: string): readonly Json[] {
  let resources = loaded.get(resourceType);
  if (resources === undefined) {
    resources = readGenerated(FILES[resourceType]);
    loaded.set(resourceType, resources);
  }
  const found = Object.hasOwn(resources, url) ? resources[url] : undefined;
  return found === undefined ? [] : [{ ...found, url }];
}

function readGenerated(name: string): Resources {
  return JSON.parse(readFileSync(new URL(`generated/${name}`, import.meta.url), 'utf8')) as Resources;
}
