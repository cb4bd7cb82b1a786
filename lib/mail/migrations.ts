// The mail outbox as a migration source, for every service that sends mail.
import path from 'node:path';
import type { MigrationSource } from '../db/schema/migration-files.ts';

export const mailMigrations: MigrationSource = {
  name: 'mail',
  folder: path.join(import.meta.dirname, 'migrations'),
};
