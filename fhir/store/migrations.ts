// The store's tables as a migration source: part of the schema of every service that keeps FHIR resources.
import path from 'node:path';
import type { MigrationSource } from '#lib/db/schema/migration-files.ts';

export const fhirStoreMigrations: MigrationSource = {
  name: 'fhir-store',
  folder: path.join(import.meta.dirname, 'migrations'),
};
