// The directory as FHIR (decision I15): creates the supported types.
import { createGroupKind, type GroupKindDeps } from './group.ts';
import type { DirectoryKind } from './kind.ts';
import { createOrganizationKind, type OrganizationKindDeps } from './organization.ts';
import { createPatientKind, type PatientKindDeps } from './patient.ts';
import { createPractitionerKind, type PractitionerKindDeps } from './practitioner.ts';

export interface FhirDirectoryDeps extends GroupKindDeps, OrganizationKindDeps, PatientKindDeps, PractitionerKindDeps {}

export function createFhirDirectory(deps: FhirDirectoryDeps): DirectoryKind[] {
  return [createGroupKind(deps), createOrganizationKind(deps), createPatientKind(deps), createPractitionerKind(deps)];
}
