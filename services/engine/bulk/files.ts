// Stores the files of bulk jobs in the database. Lines are added in compressed parts, and read whole, in parts, or from
// an offset.
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Queryable } from '#lib/db/database.ts';
import { JOINABLE_HEADER, joinMembers, packJoinable, WRAPPING_BYTES } from '#lib/gzip/joinable.ts';

const decompress = promisify(gunzip);

export type FileKind = 'input' | 'output' | 'deleted' | 'error';

export interface BulkFile {
  readonly file: number;
  readonly kind: FileKind;
  /** The resource type of its lines. */
  readonly type: string;
  readonly resources: number;
  readonly bytes: number;
}

interface Addition {
  readonly job: string;
  readonly kind: FileKind;
  readonly type: string;
  /** Text of whole lines. */
  readonly content: Buffer;
  readonly resources: number;
  /** The largest size of a file in bytes; more lines begin a new file. */
  readonly maxBytes?: number;
}

/** The least that zlib takes. */
const LEAST_CHUNK = 64;
const MAX_FILE_BYTES = 256 * 1024 * 1024;

export function toLines(texts: readonly string[]): Pick<Addition, 'content' | 'resources'> {
  return { content: Buffer.from(texts.map((text) => `${text}\n`).join('')), resources: texts.length };
}

/** The bytes of texts of whole lines, one after the other. */
export function toBytes(texts: readonly string[]): Buffer {
  const bytes = Buffer.allocUnsafeSlow(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0));
  let end = 0;
  for (const text of texts) end += bytes.write(text, end);
  return bytes;
}

/** Adds lines to the last file of the kind and type; to a new file when there is none or the last is full. */
export async function addPart(
  tx: Queryable,
  { job, kind, type, content, resources, maxBytes = MAX_FILE_BYTES }: Addition,
): Promise<void> {
  if (content.length === 0) return;
  const [packed, file] = await Promise.all([
    packJoinable(content),
    fileFor(tx, { job, kind, type, maxBytes }, content.length),
  ]);
  await tx.query('INSERT INTO bulk_part (job_guid, file, start, bytes, content) VALUES ($1, $2, $3, $4, $5)', [
    job,
    file.file,
    file.bytes,
    content.length,
    packed,
  ]);
  await tx.query(
    'UPDATE bulk_file SET resources = resources + $3, bytes = bytes + $4 WHERE job_guid = $1 AND file = $2',
    [job, file.file, resources, content.length],
  );
}

async function fileFor(
  tx: Queryable,
  { job, kind, type, maxBytes }: Required<Omit<Addition, 'content' | 'resources'>>,
  bytes: number,
): Promise<Pick<BulkFile, 'file' | 'bytes'>> {
  const { rows } = await tx.query<BulkFile>(
    'SELECT file, bytes FROM bulk_file WHERE job_guid = $1 AND kind = $2 AND type = $3 ORDER BY file DESC LIMIT 1',
    [job, kind, type],
  );
  const [last] = rows;
  if (last !== undefined && last.bytes + bytes <= maxBytes) return last;
  const { rows: made } = await tx.query<{ file: number }>(
    `INSERT INTO bulk_file (job_guid, file, kind, type, resources, bytes)
     SELECT $1, coalesce(max(file), 0) + 1, $2, $3, 0, 0 FROM bulk_file WHERE job_guid = $1 RETURNING file`,
    [job, kind, type],
  );
  return { file: made[0]?.file ?? 1, bytes: 0 };
}

export async function listFiles(db: Queryable, job: string): Promise<BulkFile[]> {
  const { rows } = await db.query<BulkFile>(
    'SELECT file, kind, type, resources, bytes FROM bulk_file WHERE job_guid = $1 ORDER BY file',
    [job],
  );
  return rows;
}

interface PartRow {
  readonly start: number;
  readonly bytes: number;
  readonly content: Buffer;
}

interface PartPlace {
  readonly job: string;
  readonly file: number;
  /** In bytes. */
  readonly start: number;
}

/** Finds the part that contains the byte at `start`; undefined at the end. */
async function findPart(db: Queryable, { job, file, start }: PartPlace): Promise<PartRow | undefined> {
  const { rows } = await db.query<PartRow>(
    `SELECT start, bytes, content FROM bulk_part WHERE job_guid = $1 AND file = $2 AND start <= $3
     ORDER BY start DESC LIMIT 1`,
    [job, file, start],
  );
  const [part] = rows;
  return part === undefined || start >= part.start + part.bytes ? undefined : part;
}

/** Returns the text of the part that contains the byte at `start`; undefined at the end. */
export async function readPart(
  db: Queryable,
  place: PartPlace,
): Promise<{ readonly start: number; readonly content: Buffer } | undefined> {
  const part = await findPart(db, place);
  if (part === undefined) return undefined;
  // All of it in one piece: pieces of the usual size would take longer to join than to unpack.
  const chunkSize = Math.max(part.bytes, LEAST_CHUNK);
  return { start: part.start, content: await decompress(part.content, { chunkSize }) };
}

/** Yields the bytes of a file from `start` up to `end`, one part at a time. */
export async function* readBytes(
  db: Queryable,
  { job, file, start, end }: { job: string; file: number; start: number; end: number },
): AsyncGenerator<Buffer> {
  let at = start;
  while (at < end) {
    const part = await readPart(db, { job, file, start: at });
    if (part === undefined) throw new Error('A file of a bulk job ends before its length');
    const piece = part.content.subarray(at - part.start, end - part.start);
    at += piece.length;
    yield piece;
  }
}

/**
 * Returns the length of a file that is sent as gzip; undefined when a part of it cannot be joined, as an older release
 * has written it.
 */
export async function packedLength(
  db: Queryable,
  { job, file }: Pick<PartPlace, 'job' | 'file'>,
): Promise<number | undefined> {
  const { rows } = await db.query<{ isJoinable: boolean | null; bytes: number; parts: number }>(
    `SELECT bool_and(substring(content FROM 1 FOR ${JOINABLE_HEADER.length / 2}) = '\\x${JOINABLE_HEADER}'::bytea) AS "isJoinable",
       coalesce(sum(octet_length(content)), 0)::bigint AS bytes, count(*)::int AS parts
     FROM bulk_part WHERE job_guid = $1 AND file = $2`,
    [job, file],
  );
  const [found] = rows;
  if (found?.isJoinable !== true) return undefined;
  return found.bytes - found.parts * WRAPPING_BYTES + WRAPPING_BYTES;
}

/** Yields a file of so many bytes as gzip, from its parts as they are stored. */
export function readPacked(
  db: Queryable,
  { job, file, bytes }: Pick<PartPlace, 'job' | 'file'> & { readonly bytes: number },
): AsyncGenerator<Buffer> {
  const parts = async function* () {
    for (let start = 0; start < bytes; ) {
      const part = await findPart(db, { job, file, start });
      if (part === undefined) throw new Error('A file of a bulk job ends before its length');
      start += part.bytes;
      yield part.content;
    }
  };
  return joinMembers(parts());
}

export async function removePart(tx: Queryable, part: { job: string; file: number; start: number }): Promise<void> {
  await tx.query('DELETE FROM bulk_part WHERE job_guid = $1 AND file = $2 AND start = $3', [
    part.job,
    part.file,
    part.start,
  ]);
}
