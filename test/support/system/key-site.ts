// The site of the tests of `kedja keys`: a database of identity with sealed numbers, and its key folder.

import { rm } from 'node:fs/promises';
import { MINUTE_MS } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { newGuid } from '#lib/guid.ts';
import { personnummerCipher } from '#services/identity/shared/ciphers.ts';
import { placeGeneration } from '../../../runtime/keys/key-files.ts';
import { openKeyFolder } from '../../../runtime/keys/keys.ts';
import { temporaryDataDir } from '../database/server.ts';
import { type Hooks, lastFirst } from '../hooks.ts';
import { identityDatabase } from '../identity/identity.ts';
import { personnummerOf } from '../identity/identity-people.ts';
import { startCommand } from './processes.ts';

/** A database of identity, a key folder, and the command `kedja keys` on both. */
export async function makeKeySite(given: Hooks) {
  const hooks = lastFirst(given);
  const on = await identityDatabase(hooks);
  const dataDir = await temporaryDataDir();
  hooks.after(() => rm(dataDir, { recursive: true, force: true }));
  const folder = openKeyFolder(dataDir);
  await folder.keySet('personnummer');
  const keys = (...args: string[]) =>
    startCommand(['keys', ...args], { KEDJA_DATABASE_URL: on.url, KEDJA_DATA_DIR: dataDir });
  /** A generation that has sealed for an hour, or for so long. */
  const place = (generation: number, ageMs = 60 * MINUTE_MS) => {
    const then = Date.now() - ageMs;
    return placeGeneration(folder.folder, 'personnummer', { generation, createdAt: then, sealsFrom: then });
  };
  return { database: on.database('identity'), dataDir, folder: folder.folder, keys, place };
}

/**
 * Creates patients whose numbers are sealed under the current generation. Returns their guids in the order of the
 * primary key.
 */
export async function makeSealedPatients(database: Database, dataDir: string, count: number): Promise<string[]> {
  const cipher = personnummerCipher(await openKeyFolder(dataDir).existingKeySet('personnummer'));
  const guids = Array.from({ length: count }, () => newGuid()).sort();
  const organisation = newGuid();
  await database.query("INSERT INTO organisation VALUES ($1, 'Unit', now())", [organisation]);
  await database.query(
    `INSERT INTO app_user (user_guid, user_type, email, email_key, password_hash, created_at)
     SELECT guid, 'patient', guid::text, guid::text, 'x', now() FROM unnest($1::uuid[]) AS guid`,
    [guids],
  );
  await database.query(
    `INSERT INTO patient (user_guid, patient_guid, organisation_guid, personnummer_sealed, personnummer_index)
     SELECT guid, guid, $2, sealed, index FROM unnest($1::uuid[], $3::bytea[], $4::bytea[]) AS p (guid, sealed, index)`,
    [
      guids,
      organisation,
      guids.map((guid, index) => cipher.seal(personnummerOf(index), guid)),
      guids.map((_, index) => cipher.indexWith(personnummerOf(index), 1)),
    ],
  );
  return guids;
}
