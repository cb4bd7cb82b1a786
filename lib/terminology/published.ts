// Definitions that are there without having been stored, as resources that can be read and searched for.
import type { Catalog, Definition, DefinitionType } from './catalog/catalog.ts';
import { DEFINITION_TYPES } from './catalog/catalog.ts';

/** What of a definition is published here lacks what says nothing of its codes: publisher, description, contacts. */
const SUBSETTED = { system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'SUBSETTED' };

export interface PublishedQuery {
  readonly resourceType: string;
  /** One of them; undefined: any. */
  readonly ids?: readonly string[] | undefined;
  readonly urls?: readonly string[] | undefined;
  readonly versions?: readonly string[] | undefined;
}

export interface PublishedResource {
  readonly id: string;
  /** JSON. */
  readonly content: string;
}

export interface PublishedDefinitions {
  /** What an id or a URL names, of all that fulfils the query; none where the query names neither. */
  find(query: PublishedQuery): readonly PublishedResource[];
}

/** Those of `published` that nothing `stored` takes the place of: with the same id, or the same URL and version. */
export function createPublishedDefinitions(published: Catalog, stored: Catalog): PublishedDefinitions {
  const isShown = (type: DefinitionType, { id, url, version }: Definition): boolean =>
    (id === undefined || stored.byId(type, id) === undefined) &&
    !definitionsOf(stored, type, url).some((each) => each.version === version);
  return {
    find: ({ resourceType, ids, urls, versions }) => {
      const type = DEFINITION_TYPES.find((each) => each === resourceType);
      if (type === undefined) return [];
      const named =
        distinct(urls)?.flatMap((url) => definitionsOf(published, type, url)) ??
        distinct(ids)?.flatMap((id) => published.byId(type, id) ?? []) ??
        [];
      return named
        .filter((each) => ids === undefined || (each.id !== undefined && ids.includes(each.id)))
        .filter((each) => versions === undefined || (each.version !== undefined && versions.includes(each.version)))
        .filter((each) => isShown(type, each))
        .flatMap((each) => (each.id === undefined ? [] : [{ id: each.id, content: contentOf(each) }]));
    },
  };
}

function distinct(values: readonly string[] | undefined): readonly string[] | undefined {
  return values === undefined ? undefined : [...new Set(values)];
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

function contentOf({ resource }: Definition): string {
  const { resourceType, id, meta: _meta, ...members } = resource();
  return JSON.stringify({ resourceType, id, meta: { tag: [SUBSETTED] }, ...members });
}
