// The counters' table as a migration source, for every service that limits rates.
import path from 'node:path';
import type { MigrationSource } from '../db/schema/migration-files.ts';

export const rateLimitMigrations: MigrationSource = {
  name: 'rate-limit',
  folder: path.join(import.meta.dirname, 'migrations'),
};
