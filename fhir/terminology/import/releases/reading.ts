// Reads one release of several files into one code system. Lines of all files are one number, so that each error is
// named with its file and line.

import { withoutMark } from '#lib/json/utf8.ts';
import type { Json } from '../../json.ts';
import { Assembly, type AssemblyOptions, type FileIssue, FileUnreadable } from '../assembly.ts';
import type { ReleaseFiles } from './release-files.ts';

/** What the operator says of the code system; it takes precedence over what the format says. */
export interface ReleaseOptions {
  readonly url?: string;
  readonly version?: string;
  readonly name?: string;
  readonly title?: string;
  readonly language?: string;
  readonly copyright?: string;
}

/** The operator has stopped the reading. */
export class ReadingStopped extends Error {}

export interface ReadingOptions {
  readonly files: ReleaseFiles;
  readonly options: ReleaseOptions;
  readonly assembly: AssemblyOptions;
  readonly onProgress: (progress: { readonly concepts: number; readonly share: number }) => void;
  readonly signal: AbortSignal;
}

/** Bits of a line within its file. */
const LINE_BITS = 26;
const MAX_LINE = 2 ** LINE_BITS - 1;
/** Of 31 bits five are left. */
const MAX_FILES = 31;

export class ReleaseReading {
  readonly options: ReleaseOptions;
  readonly #reading: ReadingOptions;
  /** The files that are read, in their order. */
  #used: readonly string[] = [];
  readonly #rows: AsyncGenerator<unknown>[] = [];
  #assembly: Assembly | undefined;

  constructor(reading: ReadingOptions) {
    this.options = reading.options;
    this.#reading = reading;
  }

  /** The name of the folder, archive or file. */
  get name(): string {
    return this.#reading.files.name;
  }

  /** The names of all files. */
  get names(): readonly string[] {
    return this.#reading.files.names;
  }

  /** @throws FileUnreadable before `begin` */
  get assembly(): Assembly {
    if (this.#assembly === undefined) throw new FileUnreadable(0, 'the release holds no file of this form');
    return this.#assembly;
  }

  /** Names the files that will be read, for the progress. @throws Error for too many */
  use(names: readonly string[]): void {
    if (names.length > MAX_FILES) throw new Error(`A release has at most ${MAX_FILES} files of one form`);
    this.#used = names;
  }

  /** Begins the code system; `said` is what the format says of it. @throws FileUnreadable for a head with errors */
  begin(said: Json, line: number): Assembly {
    const head = { resourceType: 'CodeSystem', status: 'active', content: 'complete', hierarchyMeaning: 'is-a' };
    const { assembly } = this.#reading;
    const options = { ...assembly, nameLine: (of: number) => this.#nameLine(of) };
    this.#assembly = new Assembly({ ...head, ...said, ...this.options }, line, options);
    return this.#assembly;
  }

  /** Reports an issue. @throws FileUnreadable before `begin` */
  issue(line: number, message: string): void {
    if (this.#assembly === undefined) throw new FileUnreadable(line, message);
    this.#assembly.issue(line, message);
  }

  /** The number of a line of a file, among those of all files. */
  lineIn(name: string, line: number): number {
    return Math.max(0, this.#used.indexOf(name)) * 2 ** LINE_BITS + Math.min(line, MAX_LINE);
  }

  /** The issue with its file and line. */
  located({ line, message }: FileIssue): FileIssue {
    const file = this.#used[Math.floor(line / 2 ** LINE_BITS)];
    return { line: line % 2 ** LINE_BITS, message, ...(file === undefined ? {} : { file }) };
  }

  #nameLine(line: number): string {
    const { file, line: within } = this.located({ line, message: '' });
    return this.#used.length > 1 && file !== undefined ? `${within} of ${file}` : String(within);
  }

  /** Notes rows that are being read: their file is closed with the reading, also when an error ends it. */
  closeLater(rows: AsyncGenerator<unknown>): void {
    this.#rows.push(rows);
  }

  async close(): Promise<void> {
    for (const rows of this.#rows) await rows.return(undefined);
  }

  /** The bytes of a file without byte order mark; each piece is valid until the next. @throws ReadingStopped */
  async *bytes(name: string): AsyncGenerator<Buffer> {
    const { files, onProgress, signal } = this.#reading;
    let isFirst = true;
    for await (const piece of files.read(name)) {
      if (signal.aborted) throw new ReadingStopped();
      yield isFirst ? withoutMark(piece) : piece;
      isFirst = false;
      onProgress({ concepts: this.#assembly?.size ?? 0, share: files.share(this.#used) });
      // Lets an abort signal be received.
      await new Promise(setImmediate);
    }
  }
}
