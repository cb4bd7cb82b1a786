// The table of keys as a migration source, for every service that takes Idempotency-Key.
import path from 'node:path';
import type { MigrationSource } from '../db/schema/migration-files.ts';

export const idempotencyMigrations: MigrationSource = {
  name: 'idempotency',
  folder: path.join(import.meta.dirname, 'migrations'),
};
