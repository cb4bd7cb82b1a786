// Which erasures a database does not have: it was restored from a backup of before (docs/adr/0131).
import type { Database } from '#lib/db/database.ts';
import { type Certificate, certificateFiles, isGenuine, readCertificate } from './certificate.ts';
import type { ErasureSite } from './services.ts';

/**
 * The certificates of the folder, or of the files, that a service of the database lacks; each erasure once.
 * @throws Error for a file that is no certificate of this site
 */
export async function missingErasures(
  site: Pick<ErasureSite, 'services' | 'key' | 'folder'>,
  files: readonly string[] = [],
): Promise<Certificate[]> {
  const given = files.length === 0 ? await certificateFiles(site.folder) : files;
  const found = new Map<string, Certificate>();
  for (const file of given) {
    const certificate = await readCertificate(file);
    if (!isGenuine(await site.key(), certificate)) throw new Error(`${file} was not made by this site, or was changed`);
    // Of an erasure that was applied again, the first names who had got the data.
    if (!found.has(certificate.erasure_guid)) found.set(certificate.erasure_guid, certificate);
  }
  const present = await Promise.all(site.services.map(({ database }) => erasedGuids(database)));
  return [...found.values()].filter(({ erasure_guid: guid }) => present.some((guids) => !guids.has(guid)));
}

/** Of the erasures that the service has carried out; none in a database of an earlier release. */
export async function erasedGuids(database: Database): Promise<ReadonlySet<string>> {
  const { rows: tables } = await database.query<{ is: boolean }>("SELECT to_regclass('erasure') IS NOT NULL AS is");
  if (tables[0]?.is !== true) return new Set();
  const { rows } = await database.query<{ guid: string }>(
    'SELECT erasure_guid::text AS guid FROM erasure WHERE erased_at IS NOT NULL',
  );
  return new Set(rows.map(({ guid }) => guid));
}

/** Guids of certificates in the folder that one of the services lacks, for those who only report it. */
export async function missingGuids(folder: string, databases: readonly Database[]): Promise<string[]> {
  const files = await certificateFiles(folder);
  const guids = new Set((await Promise.all(files.map(readCertificate))).map(({ erasure_guid: guid }) => guid));
  if (guids.size === 0) return [];
  const present = await Promise.all(databases.map(erasedGuids));
  return [...guids].filter((guid) => present.some((known) => !known.has(guid)));
}
