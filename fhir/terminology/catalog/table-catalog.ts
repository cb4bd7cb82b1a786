// A catalog over maps of definitions by URL and by id.
import { inOwnTurn } from '../content/unfinished.ts';
import { type Json, objects, text } from '../json.ts';
import type { CodeSystemModel } from '../model/code-system-model.ts';
import { readCodeSystem } from '../model/read-code-system.ts';
import {
  type Catalog,
  type CodeSystemDefinition,
  type Definition,
  type DefinitionType,
  describe,
  splitCanonical,
} from './catalog.ts';

export interface CatalogEntries {
  readonly codeSystems: readonly CodeSystemDefinition[];
  readonly valueSets: readonly Definition[];
  readonly conceptMaps: readonly Definition[];
}

export function catalogOf({ codeSystems, valueSets, conceptMaps }: CatalogEntries, generation = 0): Catalog {
  const systems = byUrl(codeSystems.filter(({ supplements }) => supplements === undefined));
  const supplements = Map.groupBy(
    codeSystems.filter((each) => each.supplements !== undefined),
    (each) => splitCanonical(each.supplements ?? '').url,
  );
  const sets = byUrl(valueSets);
  const named = codeSystems.filter(({ whole, supplements }) => whole !== undefined && supplements === undefined);
  const wholes = Map.groupBy(named, ({ whole }) => whole ?? '');
  const maps = byUrl(conceptMaps);
  const lists = { CodeSystem: codeSystems, ValueSet: valueSets, ConceptMap: conceptMaps };
  const ids: Partial<Record<DefinitionType, ReadonlyMap<string, Definition>>> = {};
  return {
    generation,
    codeSystems: (url) => systems.get(url) ?? [],
    supplements: (url) => supplements.get(url) ?? [],
    valueSets: (url) => sets.get(url) ?? [],
    systemsOfWhole: (url) => wholes.get(url) ?? [],
    conceptMaps: (url) => maps.get(url) ?? [],
    byId: (type, id) => {
      ids[type] ??= new Map(lists[type].flatMap((each) => (each.id === undefined ? [] : [[each.id, each] as const])));
      return ids[type].get(id);
    },
    allConceptMaps: () => conceptMaps,
    list: (type) => lists[type],
  };
}

function byUrl<T extends Definition>(definitions: readonly T[]): Map<string, T[]> {
  return Map.groupBy(definitions, ({ url }) => url);
}

/** A catalog of resources; those of other types, or without a URL, are left out. */
export function catalogOfResources(resources: readonly Json[]): Catalog {
  return catalogReading(resources, readOnce);
}

/** The same for definitions that a request brings with it: reading many concepts has a turn of its own. */
export function catalogOfRequest(resources: readonly Json[]): Catalog {
  return catalogReading(resources, (definition) => readInTurn(readOnce(definition)));
}

function catalogReading(resources: readonly Json[], read: (definition: Definition) => CodeSystemDefinition): Catalog {
  const ofType = (type: DefinitionType) =>
    resources
      .filter(({ resourceType }) => resourceType === type)
      .flatMap((resource) => {
        const described = describe(resource);
        return described === undefined ? [] : [{ ...described, resource: () => resource }];
      });
  return catalogOf({
    codeSystems: ofType('CodeSystem').map(read),
    valueSets: ofType('ValueSet'),
    conceptMaps: ofType('ConceptMap'),
  });
}

/** Each resource is read once, however many catalogs it is in: a batch creates one for each of its parts. */
const readResults = new WeakMap<Json, () => CodeSystemModel>();

function readOnce(definition: Definition): CodeSystemDefinition {
  const resource = definition.resource();
  const { model, ...rest } = asCodeSystem(definition, wholeOf(resource));
  const known = readResults.get(resource) ?? model;
  readResults.set(resource, known);
  return { ...rest, model: known };
}

/** Concepts that are read in a turn of their own. */
const MANY = 5_000;
/** Code systems that need no turn of their own any more. */
const isReady = new WeakSet<Json>();

function readInTurn(definition: CodeSystemDefinition): CodeSystemDefinition {
  const model = (): CodeSystemModel => {
    const resource = definition.resource();
    if (!isReady.has(resource)) {
      const read = (): void => {
        definition.model();
        isReady.add(resource);
      };
      if (hasMany(resource)) inOwnTurn(`reading the code system ${definition.url}`, read);
      read();
    }
    return definition.model();
  };
  return { ...definition, model };
}

/** Whether it has many concepts, in whatever levels. */
function hasMany(resource: Json): boolean {
  let count = 0;
  const open = [objects(resource['concept'])];
  for (let list = open.pop(); list !== undefined; list = open.pop()) {
    count += list.length;
    if (count >= MANY) return true;
    for (const { concept } of list) if (concept !== undefined) open.push(objects(concept));
  }
  return false;
}

/** Reads the concepts on first use. */
export function asCodeSystem(definition: Definition, whole?: string): CodeSystemDefinition {
  const model = lazy(() => {
    const read = readCodeSystem(definition.resource());
    if (read === undefined) throw new Error(`The code system ${definition.url} has no URL`);
    return read;
  });
  return { ...definition, whole, model };
}

/** The URL of the value set of all codes, which the code system names. */
export function wholeOf(codeSystem: Json): string | undefined {
  const canonical = text(codeSystem['valueSet']);
  return canonical === undefined ? undefined : splitCanonical(canonical).url;
}

export function lazy<T>(make: () => T): () => T {
  let created: { readonly value: T } | undefined;
  return () => {
    created ??= { value: make() };
    return created.value;
  };
}
