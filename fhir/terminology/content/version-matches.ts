// Value sets that take codes from several versions of one code system. This finds whether equal codes of two versions
// are the same code (the parameter versionsMatch), and how many versions there are.
import { compareVersions } from '#fhir/primitives/business-version.ts';
import { type Json, objects, text } from '../json.ts';
import { type Content, type Part, subtractContents } from './content.ts';
import type { Steps } from './unfinished.ts';

/** R5's, and the one of HL7's tools, which is older. */
const EXPANSION_PARAMETERS: readonly unknown[] = ['', 'tools/'].map(
  (folder) => `http://hl7.org/fhir/${folder}StructureDefinition/valueset-expansion-parameter`,
);

/** By value set, as each operation asks for several of them. */
const ownParameters = new WeakMap<Json, ReadonlyMap<string, string>>();

/** The value of an expansion parameter that the value set itself names, in an extension of its compose. */
export function ownParameter(valueSet: Json, name: string): string | undefined {
  const known = ownParameters.get(valueSet) ?? readOwnParameters(valueSet);
  ownParameters.set(valueSet, known);
  return known.get(name);
}

function readOwnParameters(valueSet: Json): ReadonlyMap<string, string> {
  const [compose] = objects(valueSet['compose']);
  const found = new Map<string, string>();
  for (const { url, extension } of objects(compose?.['extension'])) {
    if (!EXPANSION_PARAMETERS.includes(url)) continue;
    const parts = new Map(objects(extension).map((part) => [part['url'], valueText(part)]));
    const [name, value] = [parts.get('name'), parts.get('value')];
    if (name !== undefined && value !== undefined) found.set(name, value);
  }
  return found;
}

function valueText(part: Json): string | undefined {
  const value = Object.entries(part).find(([member]) => member.startsWith('value'))?.[1];
  return typeof value === 'boolean' ? String(value) : text(value);
}

/** Systems of which the content has several versions. */
export function systemsOfSeveralVersions(content: Content): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(content.flatMap(({ system }) => (seen.size === seen.add(system).size ? [system] : [])));
}

/** Each code once, in the latest version that has it. */
export function* latestOfEach(content: Content): Steps<Content> {
  const several = systemsOfSeveralVersions(content);
  if (several.size === 0) return content;
  const found: Part[] = [];
  for (const part of content) {
    const later = content.filter((other) => several.has(part.system) && isLater(other, part));
    const [kept] = later.length === 0 ? [part] : yield* subtractContents([part], later);
    if (kept !== undefined) found.push(kept);
  }
  return found;
}

function isLater(a: Part, b: Part): boolean {
  return a.system === b.system && compareVersions(versionOf(a), versionOf(b)) > 0;
}

export function versionOf(part: Part): string | undefined {
  return part.kind === 'known' ? part.view.model.meta.version : part.version;
}
