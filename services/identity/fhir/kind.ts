// The interface of one FHIR resource type of the directory: read, search and create for a caller (decisions I15 and
// G12).
import type { FhirResource } from 'fhir/r5.js';
import type { SearchQuery } from '#fhir/search/parse/query.ts';
import type { Actor } from '../actor.ts';
import type { DirectoryType } from './served.ts';

/** A row of the directory as a resource. */
export interface DirectoryResource {
  readonly resource: FhirResource & { readonly id: string };
  /** Where the directory stores it. */
  readonly lastUpdated?: Date;
  /** Whether the resource omits something that is too long for a list; a read of the resource shows it. */
  readonly isPartial?: boolean;
}

export interface FoundPage {
  readonly resources: readonly DirectoryResource[];
  /** Undefined when not requested, or above the limit of counting. */
  readonly total: number | undefined;
  readonly nextCursor: string | undefined;
}

export interface DirectoryKind {
  readonly type: DirectoryType;
  /** Null when there is none, or the caller may not see it. */
  read(actor: Actor, id: string): Promise<DirectoryResource | null>;
  search?(actor: Actor, query: SearchQuery): Promise<FoundPage>;
  /** @throws ServiceError `unprocessable` naming every error and every element that cannot be stored, `conflict` */
  create(actor: Actor, resource: Readonly<Record<string, unknown>>): Promise<DirectoryResource>;
}
