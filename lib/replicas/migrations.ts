// The table of write positions as a migration source, for a service that reads from standbys.
import path from 'node:path';
import type { MigrationSource } from '../db/schema/migration-files.ts';

export const replicaMigrations: MigrationSource = {
  name: 'replicas',
  folder: path.join(import.meta.dirname, 'migrations'),
};
