// What one FHIR type of the directory does: read, search and create for a caller (decisions I15 and G12).
import type { FhirResource } from 'fhir/r5.js';
import type { SearchQuery } from '#fhir/search/parse/query.ts';
import type { Actor } from '../actor.ts';
import type { DirectoryType } from './served.ts';

/** A record of the directory as a resource. */
export interface DirectoryResource {
  readonly resource: FhirResource & { readonly id: string };
  /** Where the directory knows it. */
  readonly lastUpdated?: Date;
  /** Left out of the resource because it is too long for a list; reading the resource alone shows it. */
  readonly isPartial?: boolean;
}

export interface FoundPage {
  readonly resources: readonly DirectoryResource[];
  /** Undefined when not asked for, or beyond what is counted. */
  readonly total: number | undefined;
  readonly nextCursor: string | undefined;
}

export interface DirectoryKind {
  readonly type: DirectoryType;
  /** Null when there is none, or the caller may not know of it. */
  read(actor: Actor, id: string): Promise<DirectoryResource | null>;
  search?(actor: Actor, query: SearchQuery): Promise<FoundPage>;
  /** @throws ServiceError `unprocessable` naming every error and every element that cannot be kept, `conflict` */
  create(actor: Actor, resource: Readonly<Record<string, unknown>>): Promise<DirectoryResource>;
}
