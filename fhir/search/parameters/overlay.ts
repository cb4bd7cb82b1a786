// Users' search parameters over the official ones. The content is replaced as a whole, while searches and writes go on.

import type { CustomParameter } from './custom-parameter.ts';
import { type SearchParameter, type SearchParameters, withKey } from './definitions.ts';

/** All users' parameters at one moment. */
export interface OverlayContent {
  readonly version: number;
  readonly extraction: number;
  readonly custom: readonly (CustomParameter & {
    /** The parameters whose values are indexed for every resource. */
    readonly isSearchable: boolean;
  })[];
}

export interface SearchOverlay {
  /** Always the latest content. */
  readonly parameters: SearchParameters;
  /** The users' parameters in {@link SearchOverlay.parameters}. */
  content(): OverlayContent;
  /** Replaces the content; an older content is ignored. */
  replace(content: OverlayContent): void;
}

type ByCode = ReadonlyMap<string, SearchParameter>;

/** An overlay that has only the official parameters at first. */
export function createSearchOverlay(official: SearchParameters): SearchOverlay {
  let content: OverlayContent = { version: 0, extraction: 0, custom: [] };
  let searchable = new Map<string, ByCode>();
  let indexed = new Map<string, ByCode>();
  return {
    parameters: {
      ...official,
      forType: (type) => searchable.get(type) ?? official.forType(type),
      indexed: (type) => indexed.get(type) ?? official.indexed(type),
      get version() {
        return content.version;
      },
      get extraction() {
        return content.extraction;
      },
    },
    content: () => content,
    replace(next) {
      if (next.version < content.version) return;
      content = next;
      indexed = merged(next.custom, official);
      searchable = merged(
        next.custom.filter(({ isSearchable }) => isSearchable),
        official,
      );
    },
  };
}

/** The parameters of each type that has users' ones, official ones included. */
function merged(custom: readonly CustomParameter[], official: SearchParameters): Map<string, ByCode> {
  const byType = Map.groupBy(custom, ({ resourceType }) => resourceType);
  return new Map(
    [...byType].map(([type, own]) => [
      type,
      new Map([...official.forType(type), ...own.map((each) => [each.code, toSearchParameter(each)] as const)]),
    ]),
  );
}

/** The parameter in the form of the search and the index. */
export function toSearchParameter(custom: CustomParameter): SearchParameter {
  return { ...withKey(custom), id: custom.url, groups: [] };
}
