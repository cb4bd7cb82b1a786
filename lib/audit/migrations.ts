// The migrations of the audit tables. They are part of every service's schema and come before the service's own
// migrations.
import path from 'node:path';
import type { MigrationSource } from '../db/schema/migration-files.ts';

export const auditMigrations: MigrationSource = {
  name: 'audit',
  folder: path.join(import.meta.dirname, 'migrations'),
};
