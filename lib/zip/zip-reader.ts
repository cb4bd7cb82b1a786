// Reads the files of a ZIP archive, each as a stream, by yauzl: the central directory, ZIP64, and files that are stored
// or deflated. What an archive may say of itself is bounded here (docs/adr/0135).
import { type Entry, openPromise, type ZipFile } from 'yauzl';

export interface ZipEntry {
  /** With `/` between folders. */
  readonly name: string;
  readonly packedBytes: number;
  readonly bytes: number;
}

export interface ZipArchive {
  /** The files, without folders. */
  readonly entries: readonly ZipEntry[];
  /** The unpacked bytes in pieces. @throws Error for a name that is not there, or content that cannot be unpacked */
  read(name: string): AsyncGenerator<Buffer>;
  close(): Promise<void>;
}

const MAX_ENTRIES = 20_000;
/** Of the names and further fields of all files together. */
const MAX_DIRECTORY_BYTES = 16 * 1024 * 1024;

/** @throws Error for what is no ZIP archive, or one with more files than are read */
export async function openZip(path: string): Promise<ZipArchive> {
  const zip = await openPromise(path, { autoClose: false }).catch((cause: Error) => {
    throw new Error(`${path}: it is no ZIP archive: ${cause.message}`, { cause });
  });
  try {
    const entries = await readDirectory(zip, path);
    return {
      entries: [...entries.values()].map(({ fileName, compressedSize, uncompressedSize }) => ({
        name: fileName,
        packedBytes: compressedSize,
        bytes: uncompressedSize,
      })),
      read: (name) => readEntry(zip, path, { name, entry: entries.get(name) }),
      close: async () => zip.close(),
    };
  } catch (error) {
    zip.close();
    throw error;
  }
}

async function readDirectory(zip: ZipFile, path: string): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  let [count, bytes] = [zip.entryCount, 0];
  const tooMany = () => new Error(`${path}: the archive has more than ${MAX_ENTRIES} files`);
  if (count > MAX_ENTRIES) throw tooMany();
  count = 0;
  for await (const entry of zip.eachEntry()) {
    const { fileName, fileNameLength, extraFieldLength, fileCommentLength } = entry;
    count += 1;
    bytes += fileNameLength + extraFieldLength + fileCommentLength;
    if (count > MAX_ENTRIES || bytes > MAX_DIRECTORY_BYTES) throw tooMany();
    if (entry.isEncrypted()) throw new Error(`${path}: ${fileName} in the archive is encrypted`);
    if (!fileName.endsWith('/')) entries.set(fileName, entry);
  }
  return entries;
}

interface Wanted {
  readonly name: string;
  readonly entry: Entry | undefined;
}

/** The list of files states the size: what unpacks to more is damaged, or made to fill the disk, and yauzl ends it. */
async function* readEntry(zip: ZipFile, path: string, { name, entry }: Wanted): AsyncGenerator<Buffer> {
  if (entry === undefined) throw new Error(`${name} is not in the archive`);
  try {
    yield* (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${path}: ${name} cannot be unpacked: ${reason}`, { cause });
  }
}
