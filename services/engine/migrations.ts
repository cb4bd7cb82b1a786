// The migrations of the engine's database schema, in the order in which they apply.
import path from 'node:path';
import { fhirStoreMigrations } from '#fhir/store/migrations.ts';
import { auditMigrations } from '#lib/audit/migrations.ts';
import type { MigrationSource } from '#lib/db/schema/migration-files.ts';
import { erasureMigrations } from '#lib/erasure/migrations.ts';
import { idempotencyMigrations } from '#lib/idempotency/migrations.ts';
import { rateLimitMigrations } from '#lib/rate-limit/migrations.ts';
import { replicaMigrations } from '#lib/replicas/migrations.ts';

export const migrations: readonly MigrationSource[] = [
  auditMigrations,
  fhirStoreMigrations,
  idempotencyMigrations,
  rateLimitMigrations,
  erasureMigrations,
  replicaMigrations,
  { name: 'engine', folder: path.join(import.meta.dirname, 'migrations') },
];
