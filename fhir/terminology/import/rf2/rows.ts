// The rows of a file of RF2: tab-separated cells in UTF-8, with a header. Rows with errors are reported and left out.

import { withoutMark } from '#lib/json/utf8.ts';
import { type FileIssue, FileUnreadable } from '../assembly.ts';
import { Lines } from '../lines.ts';

/** A file of a release. */
export interface ReleaseFile {
  /** The path in the release, with slashes. */
  readonly name: string;
  /** The bytes, each piece valid until the next. @throws Error naming the file */
  readonly read: () => AsyncGenerator<Buffer>;
}

/** What reading needs and reports. */
export interface Reporter {
  readonly onIssue: (issue: FileIssue) => void;
  /** Calls after each piece that was read. */
  readonly onPiece: () => void;
  readonly signal: AbortSignal;
}

export interface Row {
  readonly cells: readonly string[];
  readonly line: number;
  /** Reports an error of the row. */
  readonly issue: (message: string) => void;
}

/** The columns that all components have, and members of reference sets. */
export const COMMON = ['id', 'effectiveTime', 'active', 'moduleId'] as const;

export interface RowReader {
  /** The names that the header must begin with. */
  readonly header: readonly string[];
  /** Whether further columns may follow. */
  readonly hasMore: boolean;
  readonly onHeader?: (names: readonly string[]) => void;
  readonly onRow: (row: Row) => void;
}

const TIME = /^\d{8}$/;

/** Reads a file; an abort ends it early. @throws FileUnreadable for a header that is another one */
export async function readRows(file: ReleaseFile, reader: RowReader, reporter: Reporter): Promise<void> {
  let columns = 0;
  const visit = (text: string, line: number): void => {
    const cells = (text.endsWith('\r') ? text.slice(0, -1) : text).split('\t');
    const issue = (message: string): void => reporter.onIssue({ file: file.name, line, message });
    if (line === 1) {
      columns = checkHeader(cells, reader);
      reader.onHeader?.(cells);
    } else if (cells.length !== columns) {
      if (text.trim() !== '') issue(`there are ${cells.length} cells, and ${columns} columns`);
    } else if (isCommon(cells, issue)) reader.onRow({ cells, line, issue });
  };
  const lines = new Lines(visit);
  let isFirst = true;
  for await (const bytes of file.read()) {
    if (reporter.signal.aborted) return;
    lines.push(isFirst ? withoutMark(bytes) : bytes);
    isFirst = false;
    reporter.onPiece();
    // Lets an abort signal be received.
    await new Promise(setImmediate);
  }
  lines.end();
  if (columns === 0) throw new FileUnreadable(1, 'the first row must name the columns');
}

function checkHeader(cells: readonly string[], { header, hasMore }: RowReader): number {
  const isRight = header.every((name, at) => cells[at] === name) && (hasMore || cells.length === header.length);
  if (isRight) return cells.length;
  throw new FileUnreadable(1, `the first row must name the columns ${header.join(', ')}${hasMore ? ' …' : ''}`);
}

function isCommon([, time = '', active = '']: readonly string[], issue: (message: string) => void): boolean {
  const [isTime, isActive] = [TIME.test(time), active === '0' || active === '1'];
  if (!isTime) issue(`the effectiveTime ${time} is no date as YYYYMMDD`);
  if (!isActive) issue(`active must be 0 or 1, and is ${active}`);
  return isTime && isActive;
}
