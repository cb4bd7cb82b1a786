// The migrations by which a backup's schemas are made: exactly those that it names. A backup of an older release is
// restored as it was; the next start brings it up to date.
import { type Migration, readMigrations } from '#lib/db/schema/migration-files.ts';
import { SERVICE_SCHEMAS } from './catalog.ts';
import type { Manifest } from './records.ts';

export interface SchemaMigrations {
  readonly name: string;
  readonly migrations: readonly Migration[];
}

/** @throws Error in words for a backup of a newer release, or one whose migration files differ from those here */
export async function migrationsOf({ schemas }: Manifest): Promise<SchemaMigrations[]> {
  const found: SchemaMigrations[] = [];
  const unknown: string[] = [];
  const changed: string[] = [];
  for (const { name, migrations: applied } of schemas) {
    const sources = SERVICE_SCHEMAS.get(name);
    if (sources === undefined) throw new Error(`The backup has a schema "${name}" that this release does not know`);
    const known = await readMigrations(sources);
    const wanted = new Map(applied.map((migration) => [`${migration.source} ${migration.version}`, migration]));
    const migrations = known.filter(({ source, version }) => wanted.has(`${source} ${version}`));
    for (const { source, version, file, checksum } of applied) {
      const here = known.find((migration) => migration.source === source && migration.version === version);
      if (here === undefined) unknown.push(`${source}/${file}`);
      else if (here.checksum !== checksum) changed.push(`${source}/${file}`);
    }
    found.push({ name, migrations });
  }
  if (unknown.length > 0) {
    const some = unknown.slice(0, 3).join(', ');
    throw new Error(`The backup is of a newer release than this one: it has ${some}. Restore it with that release`);
  }
  if (changed.length > 0) throw new Error(`Files differ from those that made the backup: ${changed.join(', ')}`);
  return found;
}
