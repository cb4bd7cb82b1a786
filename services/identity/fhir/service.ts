// The directory as FHIR (decision I15): the served types, put together from their parts.
import type { Audit } from '#lib/audit/audit.ts';
import type { Database } from '#lib/db/database.ts';
import type { Groups } from '../groups/service.ts';
import type { Organisations } from '../organisations/service.ts';
import { createGroupKind } from './group.ts';
import type { DirectoryKind } from './kind.ts';
import { createOrganizationKind } from './organization.ts';

export interface FhirDirectoryDeps {
  readonly database: Database;
  readonly audit: Audit;
  readonly organisations: Organisations;
  readonly groups: Groups;
  readonly baseUrl: string;
}

export function createFhirDirectory(deps: FhirDirectoryDeps): DirectoryKind[] {
  return [createGroupKind(deps), createOrganizationKind(deps)];
}
