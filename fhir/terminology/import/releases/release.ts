// Reads the releases of code systems in the forms of their publishers (docs/adr/0109), from a folder, a ZIP archive or
// a file.
import type { Assembly, AssemblyOptions, FileIssue } from '../assembly.ts';
import { FileUnreadable } from '../assembly.ts';
import { finishReading, type ReadFile } from '../code-system-file.ts';
import { readSnapshot } from '../rf2/snapshot.ts';
import { SpillFiles } from '../spill-file.ts';
import { readClaml } from './claml.ts';
import { readLoinc } from './loinc.ts';
import { ReadingStopped, type ReleaseOptions, ReleaseReading } from './reading.ts';
import { openRelease } from './release-files.ts';
import { readTables } from './table-format.ts';
import { ATC, ICD_10_SE, KVA } from './table-formats.ts';

export interface ReleaseFormat {
  /** Undefined for SNOMED CT, which has a reader of its own. */
  readonly read: ((reading: ReleaseReading) => Promise<Assembly>) | undefined;
  /** Whether the URL of the code system must be given, as the format does not say it. */
  readonly needsUrl: boolean;
  /** Whether its licence must be given. */
  readonly needsCopyright: boolean;
}

export const RELEASE_FORMATS = {
  // Its files become columns without a list of concepts in between.
  snomed: { read: undefined, needsUrl: false, needsCopyright: false },
  loinc: { read: readLoinc, needsUrl: false, needsCopyright: false },
  'icd-10-se': { read: (reading) => readTables(reading, ICD_10_SE), needsUrl: true, needsCopyright: false },
  kva: { read: (reading) => readTables(reading, KVA), needsUrl: true, needsCopyright: false },
  atc: { read: (reading) => readTables(reading, ATC), needsUrl: false, needsCopyright: false },
  claml: { read: readClaml, needsUrl: true, needsCopyright: true },
} as const satisfies Readonly<Record<string, ReleaseFormat>>;

export type ReleaseFormatName = keyof typeof RELEASE_FORMATS;

export function releaseFormatOf(name: string): ReleaseFormatName | undefined {
  return Object.keys(RELEASE_FORMATS).find((each) => each === name) as ReleaseFormatName | undefined;
}

export interface ReleaseToRead extends Omit<AssemblyOptions, 'files' | 'nameLine'> {
  readonly path: string;
  readonly format: ReleaseFormatName;
  readonly options: ReleaseOptions;
  readonly onProgress: (progress: { readonly concepts: number; readonly share: number }) => void;
  readonly signal: AbortSignal;
  /** The folder of temporary files; the operating system's by default. */
  readonly folder?: string;
}

/**
 * Reads a release. Undefined when it has errors, all of which have been reported, or when it was aborted.
 * @throws Error when it cannot be opened
 */
export async function readRelease(release: ReleaseToRead): Promise<ReadFile | undefined> {
  const { path, format, options, checkHead, onIssue, onProgress, signal } = release;
  const { read: readFormat } = RELEASE_FORMATS[format];
  if (readFormat === undefined) return readSnapshot(release);
  const files = await openRelease(path);
  const spill = new SpillFiles(release.folder);
  const located = (issue: FileIssue): void => onIssue(reading.located(issue));
  const assembly = { files: spill, checkHead, onIssue: located };
  const reading = new ReleaseReading({ files, options, assembly, onProgress, signal });
  let read: ReadFile | undefined;
  try {
    const found = await readFormat(reading);
    if (found.size === 0 && found.issues === 0) found.issue(1, 'the release holds no concepts');
    read = await finishReading(found, spill, signal);
  } catch (error) {
    if (error instanceof FileUnreadable) located({ line: error.line, message: error.message });
    else if (!(error instanceof ReadingStopped)) throw error;
  } finally {
    await reading.close();
    await files.close();
    if (read === undefined) spill.closeAll();
  }
  return read;
}
