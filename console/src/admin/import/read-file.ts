// Reads somebody's file: its headings and rows. Spreadsheets in Swedish write UTF-8, or what Windows had before.
import { readCsv } from '../../shared/csv.ts';

/** Larger files are for the command line (docs/operations/users.md). */
const MOST_BYTES = 2_000_000;
export const MOST_ROWS = 10_000;

export interface UserFile {
  readonly name: string;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export type FileError = 'large' | 'empty';

export async function readFile(file: File): Promise<UserFile | FileError> {
  if (file.size > MOST_BYTES) return 'large';
  const [headings, ...rows] = readCsv(textOf(await file.arrayBuffer()));
  if (headings === undefined || rows.length === 0) return 'empty';
  return rows.length > MOST_ROWS ? 'large' : { name: file.name, headings, rows };
}

function textOf(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
