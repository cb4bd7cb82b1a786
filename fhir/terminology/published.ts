// Published definitions: HL7's definitions as resources that can be read and searched, though they are not stored.
import type { Catalog, Definition, DefinitionType } from './catalog/catalog.ts';
import { DEFINITION_TYPES } from './catalog/catalog.ts';

/**
 * The tag of a published resource: it lacks members that do not concern its codes (publisher, description, contacts).
 */
const SUBSETTED = { system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'SUBSETTED' };
const META = `,"meta":${JSON.stringify({ tag: [SUBSETTED] })}`;

export interface PublishedQuery {
  readonly resourceType: string;
  /** A single value; undefined for any. */
  readonly ids?: readonly string[] | undefined;
  readonly urls?: readonly string[] | undefined;
}

export interface PublishedDefinition extends Omit<Definition, 'id'> {
  readonly id: string;
  /** Builds the resource as JSON text. */
  readonly content: () => string;
}

export interface PublishedDefinitions {
  /** The distinct definitions, grouped by package, as their texts are unpacked together. */
  find(query: PublishedQuery): readonly PublishedDefinition[];
}

/** The definitions in `published` that none in `stored` replaces, with the same id or the same URL and version. */
export function createPublishedDefinitions(published: Catalog, stored: Catalog): PublishedDefinitions {
  return {
    find: ({ resourceType, ids, urls }) => {
      const type = DEFINITION_TYPES.find((each) => each === resourceType);
      if (type === undefined) return [];
      const named =
        distinct(urls)?.flatMap((url) => definitionsOf(published, type, url)) ??
        distinct(ids)?.flatMap((id) => published.byId(type, id) ?? []) ??
        published.list(type);
      const isHidden = hidingBy(stored, type);
      return named.flatMap((each) => {
        const { id, ...metadata } = each;
        if (id === undefined || (ids !== undefined && !ids.includes(id)) || isHidden(each)) return [];
        return [{ ...metadata, id, content: () => contentOf(each) }];
      });
    },
  };
}

function distinct(values: readonly string[] | undefined): readonly string[] | undefined {
  return values === undefined ? undefined : [...new Set(values)];
}

/** Whether a stored resource replaces a definition. */
function hidingBy(stored: Catalog, type: DefinitionType): (definition: Definition) => boolean {
  const versions = Map.groupBy(stored.list(type), ({ url }) => url);
  return ({ id, url, version }) =>
    (id !== undefined && stored.byId(type, id) !== undefined) ||
    (versions.get(url)?.some((each) => each.version === version) ?? false);
}

function definitionsOf(catalog: Catalog, type: DefinitionType, url: string): readonly Definition[] {
  switch (type) {
    case 'CodeSystem':
      return [
        ...catalog.codeSystems(url),
        ...catalog.list('CodeSystem').filter((each) => each.supplements !== undefined && each.url === url),
      ];
    case 'ValueSet':
      return catalog.valueSets(url);
    case 'ConceptMap':
      return catalog.conceptMaps(url);
    default:
      return type satisfies never;
  }
}

/** The first members of a resource, in R5's order. */
const BEGINNING = /^\{"resourceType":"[A-Za-z]+","id":"[A-Za-z0-9.-]+"/;

/** The resource from the definition's text, which is not cached: a listing of all definitions reads each once. */
function contentOf({ resource, text }: Definition): string {
  const written = text?.() ?? '';
  const beginning = BEGINNING.exec(written)?.[0];
  if (beginning !== undefined) return beginning + META + written.slice(beginning.length);
  const { resourceType, id, meta: _meta, ...members } = resource();
  return JSON.stringify({ resourceType, id, meta: { tag: [SUBSETTED] }, ...members });
}
