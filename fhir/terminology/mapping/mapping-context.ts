// The context of a translation by a concept map.
import { type Canonical, fitsVersion, joinCanonical } from '../catalog/catalog.ts';
import type { Content } from '../content/content.ts';
import type { Coding } from '../model/code-system-model.ts';
import type { ConceptMapModel, MapTarget } from './concept-map-model.ts';

export interface Dependency {
  /** The attribute's URI, or its code in the map. */
  readonly attribute: string;
  readonly value: unknown;
}

export interface MappingContext {
  /** The codes of a value set; undefined when it is unknown or cannot be computed. */
  readonly codesOf: (canonical: string) => Content | undefined;
  /** The concept map of a canonical; undefined when unknown. */
  readonly mapOf: (canonical: string) => ConceptMapModel | undefined;
  readonly dependencies: readonly Dependency[];
  /** The only system that the result may have. */
  readonly system: Canonical | undefined;
}

/** A match in the response. */
export interface Match {
  readonly concept: Coding;
  readonly relationship: string | undefined;
  readonly target: MapTarget;
  /** `url|version`. */
  readonly originMap: string | undefined;
  /** Whether it depends on attributes for which the request has no value. */
  readonly isConditional: boolean;
}

export function originOf({ url, version }: ConceptMapModel): string | undefined {
  return url === undefined ? undefined : joinCanonical({ url, version });
}

/** Whether a group's system is the requested one; a version that either leaves out matches any. */
export function fitsSystem(ofGroup: Canonical | undefined, wanted: Canonical): boolean {
  if (ofGroup?.url !== wanted.url) return false;
  const { version } = ofGroup;
  return version === undefined || wanted.version === undefined || fitsVersion(version, wanted.version);
}
