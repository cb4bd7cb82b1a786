// Checks the records of a backup. They are complete and in their order, and each table has the rows that its count and
// digest name. Checking a file and restoring it both read it through here.
import type { BackupRecord, Manifest } from './records.ts';
import { RowDigest } from './row-digest.ts';

/** Passes the records on. @throws Error that says what is not as it must be */
export async function* checkRecords(records: AsyncIterable<BackupRecord>): AsyncGenerator<BackupRecord> {
  const state = new State();
  for await (const record of records) {
    state.take(record);
    yield record;
  }
  if (!state.isOver) throw new Error('The backup is not complete: it has no end');
}

class State {
  isOver = false;
  #isFirst = true;
  #manifest: Manifest | undefined;
  #table = -1;
  #digest: RowDigest | undefined;
  #rows = 0;
  #keys = 0;
  #hasSequences = false;

  take(record: BackupRecord): void {
    if (this.isOver) throw new Error('The backup goes on after its end');
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (record.kind === 'tenant') {
      if (!isFirst) throw misplaced(record.kind);
      return;
    }
    if ((this.#manifest === undefined) !== (record.kind === 'manifest')) throw misplaced(record.kind);
    switch (record.kind) {
      case 'manifest':
        this.#manifest = record.manifest;
        return;
      case 'table':
        this.#startTable(record.table);
        return;
      case 'rows':
        if (this.#digest === undefined) throw misplaced('rows');
        this.#digest.add(record.bytes);
        return;
      case 'table-end':
        this.#endTable(record.sum);
        return;
      case 'sequences':
        this.#needTables(record.kind);
        this.#hasSequences = true;
        return;
      case 'key':
        this.#needTables(record.kind);
        this.#keys += 1;
        return;
      case 'end':
        this.#end(record.totals);
        return;
      default:
        record satisfies never;
    }
  }

  #startTable({ schema, name }: { schema: string; name: string }): void {
    this.#table += 1;
    const expected = this.#manifest?.tables[this.#table];
    if (this.#digest !== undefined || expected?.schema !== schema || expected.name !== name) throw misplaced(name);
    this.#digest = new RowDigest();
  }

  #endTable({ rows, digest }: { rows: number; digest: string }): void {
    const found = this.#digest?.sum();
    const name = this.#manifest?.tables[this.#table]?.name ?? '';
    if (found?.rows !== rows || found.digest !== digest) {
      throw new Error(`The rows of ${name} in the backup are not those that were counted when it was written`);
    }
    this.#rows += rows;
    this.#digest = undefined;
  }

  #needTables(kind: string): void {
    const expected = this.#manifest?.tables.length;
    if (this.#digest !== undefined || this.#table + 1 !== expected) throw misplaced(kind);
  }

  #end(totals: { tables: number; rows: number; keys: number }): void {
    this.#needTables('end');
    const isComplete = totals.tables === this.#table + 1 && totals.rows === this.#rows && totals.keys === this.#keys;
    if (!isComplete || !this.#hasSequences) throw new Error('The backup is not complete: its totals differ');
    this.isOver = true;
  }
}

function misplaced(what: string): Error {
  return new Error(`The backup cannot be read: ${what} is not in its place`);
}
