// `kedja doctor` on erasures (docs/adr/0131): a database that was restored from a backup of before does not have them.
import type { DatabaseAddress } from '#lib/db/connection.ts';
import { createDatabase } from '#lib/db/pool.ts';
import { certificateFiles, certificateFolder } from '../erase/certificate.ts';
import { missingGuids } from '../erase/missing.ts';
import { type Finding, fail, fine } from './findings.ts';

const STATEMENT_MS = 10_000;

/** None where nothing was ever erased. */
export async function checkErasures(
  dataDir: string,
  address: DatabaseAddress,
  services: readonly string[],
): Promise<Finding[]> {
  const folder = certificateFolder(dataDir);
  const isAny = (await certificateFiles(folder)).length > 0;
  if (!isAny) return [fine('erasures.none', `There is no certificate of an erasure in ${folder}`)];
  const databases = services.map((schema) => createDatabase({ ...address, schema, statementTimeoutMs: STATEMENT_MS }));
  try {
    const missing = await missingGuids(folder, databases);
    if (missing.length > 0) {
      const message = `${missing.length} erasures of ${folder} are not in the database, which is older than they are`;
      return [fail('erasures.missing', message, 'Run kedja erase --again --apply; see docs/operations/erasure.md')];
    }
    return [fine('erasures.applied', 'The database has every erasure that there is a certificate of')];
  } finally {
    await Promise.all(databases.map((database) => database.close()));
  }
}
