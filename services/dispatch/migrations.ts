// The migrations that make up the schema of dispatch, in the order in which they apply.
import path from 'node:path';
import type { MigrationSource } from '#lib/db/migration-files.ts';

const LIB = path.join(import.meta.dirname, '../../lib');

export const migrations: readonly MigrationSource[] = [
  { name: 'audit', folder: path.join(LIB, 'audit/migrations') },
  { name: 'dispatch', folder: path.join(import.meta.dirname, 'migrations') },
];
