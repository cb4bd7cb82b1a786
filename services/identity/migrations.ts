// The migrations that create identity's schema, in order.
import path from 'node:path';
import { auditMigrations } from '#lib/audit/migrations.ts';
import type { MigrationSource } from '#lib/db/schema/migration-files.ts';
import { erasureMigrations } from '#lib/erasure/migrations.ts';
import { idempotencyMigrations } from '#lib/idempotency/migrations.ts';
import { mailMigrations } from '#lib/mail/migrations.ts';
import { rateLimitMigrations } from '#lib/rate-limit/migrations.ts';

export const migrations: readonly MigrationSource[] = [
  auditMigrations,
  rateLimitMigrations,
  idempotencyMigrations,
  mailMigrations,
  erasureMigrations,
  { name: 'identity', folder: path.join(import.meta.dirname, 'migrations') },
];
