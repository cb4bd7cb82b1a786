// Numbered SQL files as migrations: reading and checking the folders, before any database is touched.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { sha256 } from '../../crypto/secret.ts';

/**
 * A folder of `NNNN_name.sql` files. Several compose one schema, in order: what a service builds on comes before it.
 */
export interface MigrationSource {
  /** Recorded with each migration, so it must never change: `audit`, `fhir-store`, `identity`. */
  readonly name: string;
  readonly folder: string;
}

export interface Migration {
  readonly source: string;
  readonly version: number;
  /** The file's name. */
  readonly file: string;
  readonly sql: string;
  /** SHA-256 of the text, in hex; line endings do not count. */
  readonly checksum: string;
}

const FILE_NAME = /^(\d{4})_[a-z0-9][a-z0-9_-]*\.sql$/;

/**
 * Reads every source's files in the order in which they apply.
 * @throws Error that names every ill-named or doubly numbered file.
 */
export async function readMigrations(sources: readonly MigrationSource[]): Promise<Migration[]> {
  const issues = repeatedNames(sources).map((name) => `two migration sources are called "${name}"`);
  const migrations: Migration[] = [];
  for (const source of sources) {
    const files = (await readdir(source.folder)).filter((file) => file.endsWith('.sql')).sort();
    for (const file of files) {
      const version = Number(FILE_NAME.exec(file)?.[1] ?? Number.NaN);
      const previous = migrations.at(-1);
      if (Number.isNaN(version)) issues.push(`${source.name}: "${file}" is not called NNNN_name.sql`);
      if (previous?.source === source.name && previous.version === version) {
        issues.push(`${source.name}: "${previous.file}" and "${file}" have the same number`);
      }
      const sql = (await readFile(path.join(source.folder, file), 'utf8')).replaceAll('\r\n', '\n');
      migrations.push({ source: source.name, version, file, sql, checksum: sha256(sql).toString('hex') });
    }
  }
  if (issues.length > 0) throw new Error(`Migrations cannot be read: ${issues.join('; ')}`);
  return migrations;
}

/** One value for a list of migrations: equal exactly when the same files would be applied in the same order. */
export function fingerprint(migrations: readonly Migration[]): string {
  return sha256(migrations.map(({ source, file, checksum }) => `${source}/${file} ${checksum}`).join('\n')).toString(
    'hex',
  );
}

function repeatedNames(sources: readonly MigrationSource[]): string[] {
  const names = sources.map(({ name }) => name);
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}
