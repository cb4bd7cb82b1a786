// The table of erasures as a migration source: part of every service's schema.
import path from 'node:path';
import type { MigrationSource } from '../db/schema/migration-files.ts';

export const erasureMigrations: MigrationSource = {
  name: 'erasure',
  folder: path.join(import.meta.dirname, 'migrations'),
};
