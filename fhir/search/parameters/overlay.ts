// The official search parameters with those that users define over them, replaced as a whole while searches and writes
// go on.

import { nameKey } from '../extract/keys.ts';
import type { CustomParameter } from './custom-parameter.ts';
import type { SearchParameter, SearchParameters } from './definitions.ts';

/** Everything that users have defined, at one moment. */
export interface OverlayContent {
  readonly version: number;
  readonly extraction: number;
  readonly custom: readonly (CustomParameter & {
    /** The values of every resource are in the index. */
    readonly isSearchable: boolean;
  })[];
}

export interface SearchOverlay {
  /** Always the latest content. */
  readonly parameters: SearchParameters;
  /** What {@link SearchOverlay.parameters} are made of beside the official ones. */
  content(): OverlayContent;
  /** What is older than the content it has changes nothing. */
  replace(content: OverlayContent): void;
}

type ByCode = ReadonlyMap<string, SearchParameter>;

/** Begins with the official ones alone. */
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

/** The types that have parameters of their own, with the official ones. */
function merged(custom: readonly CustomParameter[], official: SearchParameters): Map<string, ByCode> {
  const byType = Map.groupBy(custom, ({ resourceType }) => resourceType);
  return new Map(
    [...byType].map(([type, own]) => [
      type,
      new Map([...official.forType(type), ...own.map((each) => [each.code, toSearchParameter(each)] as const)]),
    ]),
  );
}

/** The parameter as the search and the index take it. */
export function toSearchParameter(custom: CustomParameter): SearchParameter {
  const { resourceType, code, url, type, branches, targets } = custom;
  return {
    id: url,
    url,
    resourceType,
    code,
    type,
    branches,
    targets,
    key: nameKey(`${resourceType}.${code}`),
    groups: [],
  };
}
