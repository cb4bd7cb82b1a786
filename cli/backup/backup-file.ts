// A backup as a file or a stream: records, compressed, in checked frames.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import type { Secret } from '#lib/config/secret.ts';
import { VERSION } from '../../runtime/version.ts';
import { checkRecords } from './check-records.ts';
import { type Header, openFrames, sealFrames } from './frames.ts';
import { type BackupRecord, decode, encode, type TenantFacts } from './records.ts';

const KEY_BYTES = 32;
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

/** The 32 bytes of KEDJA_BACKUP_KEY; undefined without it. @throws Error when it has another form */
export function backupKey(configured: Secret | undefined): Buffer | undefined {
  if (configured === undefined) return undefined;
  const bytes = Buffer.from(configured.reveal(), 'base64');
  if (bytes.length === KEY_BYTES && bytes.toString('base64') === configured.reveal().trim()) return bytes;
  throw new Error('KEDJA_BACKUP_KEY must be 32 bytes in base64: openssl rand -base64 32');
}

/** The bytes of a backup. They fail with the error of the records. */
export function fileOf(records: AsyncIterable<BackupRecord>, key: Uint8Array | undefined): Readable {
  const compressed = createZstdCompress(LEVEL);
  // Its errors come out of `compressed`.
  pipeline(encodeAll(records), compressed).catch(() => undefined);
  return Readable.from(sealFrames(compressed, { release: VERSION, created_at: new Date().toISOString() }, key));
}

async function* encodeAll(records: AsyncIterable<BackupRecord>): AsyncGenerator<Buffer> {
  for await (const record of records) yield encode(record);
}

export interface OpenedBackup {
  readonly header: Header;
  /** Whose backup it is; undefined for that of the installation. */
  readonly tenant: TenantFacts | undefined;
  /** Checked: in the order of the form, complete, with the counts and digests that they name. */
  readonly records: AsyncGenerator<BackupRecord>;
  /** From 0 to 1, how much of the file was read; undefined for standard input. */
  share(): number | undefined;
  /** Closes the file, wherever it is read. */
  close(): void;
}

/** Opens a file, or `-` for standard input. @throws Error in words, as do the records */
export async function openBackup(
  file: string,
  key: Uint8Array | undefined,
  signal: AbortSignal,
): Promise<OpenedBackup> {
  const isStream = file === '-';
  const size = isStream ? undefined : await sizeOf(file);
  let read = 0;
  const counted = new Transform({
    transform(bytes: Buffer, _encoding, done) {
      read += bytes.length;
      done(null, bytes);
    },
  });
  pipeline(isStream ? process.stdin : createReadStream(file), counted, { signal }).catch(() => undefined);
  const { header, plain } = await openFrames(counted, key).catch((error: unknown) => {
    counted.destroy();
    throw error;
  });
  const decompressed = createZstdDecompress();
  pipeline(plain, decompressed).catch(() => undefined);
  const checked = checkRecords(decode(decompressed));
  const first = await checked.next();
  const start: BackupRecord[] = first.done === true ? [] : [first.value];
  const [record] = start;
  return {
    header,
    tenant: record?.kind === 'tenant' ? record.tenant : undefined,
    records: concatenated(start, checked),
    close: () => void counted.destroy(),
    share: () => (size === undefined ? undefined : read / Math.max(1, size)),
  };
}

async function* concatenated(
  start: readonly BackupRecord[],
  rest: AsyncGenerator<BackupRecord>,
): AsyncGenerator<BackupRecord> {
  yield* start;
  yield* rest;
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    throw new Error(`The file cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
