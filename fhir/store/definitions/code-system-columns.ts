// Stores imported code systems as columns in the database (docs/adr/0019). They are written once, and read by each node
// piece by piece, so that the event loop is not blocked.

import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import { type Json, objects, text } from '#fhir/terminology/json.ts';
import type { Columns, ColumnsHead } from '#fhir/terminology/model/code-system-model.ts';
import { type PackedColumns, type PackedHead, unpack } from '#fhir/terminology/model/columns/columns.ts';
import { type InterleavedColumns, interleaving } from '#fhir/terminology/model/columns/interleaved-columns.ts';
import type { Queryable, Transaction } from '#lib/db/database.ts';
import { newGuid } from '#lib/guid.ts';
import { createSlices } from '#lib/jobs/slices.ts';

/** Of a CodeSystem whose concepts are kept as columns: their guid, as `valueUuid`. */
const COLUMNS_EXTENSION = 'https://kedja.dev/fhir/StructureDefinition/code-system-columns';
/** Decoding one takes about a millisecond. */
const PIECE_BYTES = 512 * 1024;
const URN = 'urn:uuid:';

/** Stores the columns of the CodeSystem with this id; answers their guid. */
export async function writeColumns(
  tx: Transaction,
  { id, columns }: { readonly id: string; readonly columns: PackedColumns<ColumnsHead> },
  onProgress: (share: number) => void = () => undefined,
): Promise<string> {
  const guid = newGuid();
  const total = Object.values(columns.packed.lengths).reduce((sum, length) => sum + length, 0);
  await tx.query('INSERT INTO fhir_code_system (columns_guid, rid, head) VALUES ($1, $2, $3)', [
    guid,
    resourceKey(id),
    JSON.stringify(columns.packed),
  ]);
  let [number, done] = [0, 0];
  for (const piece of columns.pieces(PIECE_BYTES)) {
    await tx.query(
      {
        name: 'fhir_code_system_part_write',
        text: 'INSERT INTO fhir_code_system_part (columns_guid, number, bytes) VALUES ($1, $2, $3)',
      },
      [guid, number, Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)],
    );
    number += 1;
    done += piece.byteLength;
    onProgress(done / total);
  }
  return guid;
}

/** The columns that the CodeSystem names; undefined where it names none, or they are gone. */
export async function readColumnsOf(db: Queryable, codeSystem: Json): Promise<Columns | undefined> {
  const guid = columnsGuidOf(codeSystem);
  if (guid === undefined) return undefined;
  const { rows } = await db.query<{ head: string }>(
    'SELECT head FROM fhir_code_system WHERE columns_guid = $1 AND rid = $2',
    [guid, resourceKey(String(codeSystem['id']))],
  );
  const [found] = rows;
  if (found === undefined) return undefined;
  const unpacking = unpack(JSON.parse(found.head) as PackedHead<ColumnsHead>);
  for (let number = 0; ; number += 1) {
    const piece = await readPiece(db, guid, number);
    if (piece === undefined) break;
    unpacking.add(piece);
  }
  const columns = unpacking.finish();
  return { ...columns, interleaved: await interleaveInSlices(columns) };
}

/** Of half a million codes it takes tens of milliseconds. */
async function interleaveInSlices(columns: Columns): Promise<InterleavedColumns> {
  const slices = createSlices();
  const steps = interleaving(columns);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await slices.rest();
  }
}

async function readPiece(db: Queryable, guid: string, number: number): Promise<Buffer | undefined> {
  const { rows } = await db.query<{ bytes: Buffer }>(
    {
      name: 'fhir_code_system_part_read',
      text: 'SELECT bytes FROM fhir_code_system_part WHERE columns_guid = $1 AND number = $2',
    },
    [guid, number],
  );
  return rows[0]?.bytes;
}

/** Deletes those that no CodeSystem names any more. */
export async function dropUnusedColumns(tx: Transaction): Promise<void> {
  await tx.query(
    `DELETE FROM fhir_code_system c WHERE NOT EXISTS (SELECT FROM fhir_resource r
       WHERE r.type = $1 AND r.rid = c.rid AND NOT r.deleted AND strpos(r.content, c.columns_guid::text) > 0)`,
    [nameKey('CodeSystem')],
  );
}

/** The CodeSystem with the name of its columns. */
export function withColumns(codeSystem: Json, guid: string): Json {
  const others = objects(codeSystem['extension']).filter(({ url }) => url !== COLUMNS_EXTENSION);
  return { ...codeSystem, extension: [...others, { url: COLUMNS_EXTENSION, valueUuid: `${URN}${guid}` }] };
}

/** The guid of the columns that a CodeSystem names; undefined where it names none. */
export function columnsGuidOf({ resourceType, extension }: Json): string | undefined {
  if (resourceType !== 'CodeSystem') return undefined;
  const named = text(objects(extension).find(({ url }) => url === COLUMNS_EXTENSION)?.['valueUuid']);
  const guid = named?.startsWith(URN) === true ? named.slice(URN.length) : undefined;
  // A client that stores a CodeSystem may write anything here.
  return guid !== undefined && /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(guid) ? guid : undefined;
}
