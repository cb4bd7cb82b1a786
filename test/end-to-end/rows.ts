// The rows of docs/reference/everyone.md, each of which a module of the end-to-end test walks as a named step.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

export const ROWS_PAGE = 'docs/reference/everyone.md';
const ROW = /^\| ([A-Z]\d+) \| (.+?) \| (.+?) \| (.+?) \| (.+?) \| `(.+?)` \|$/gm;
const LINK = /\]\(([^)#]+)(?:#[^)]*)?\)/g;

export interface Row {
  /** `P3`: the letter says who does it, or `B` for a bad case. */
  readonly id: string;
  readonly who: string;
  readonly what: string;
  /** As on the reference pages: `POST /patient-forms/{guid}/response`. */
  readonly addresses: readonly string[];
  /** The reference pages with the executed examples, as paths from the root of the repository. */
  readonly pages: readonly string[];
  /** The module that walks it, as a path within test/end-to-end. */
  readonly module: string;
}

/** The rows in the page's order. */
export async function readRows(): Promise<Row[]> {
  const page = await readFile(path.join(import.meta.dirname, '../..', ROWS_PAGE), 'utf8');
  return [...page.matchAll(ROW)].map(([, id = '', who = '', what = '', addresses = '', pages = '', module = '']) => ({
    id,
    who,
    what,
    addresses: [...addresses.matchAll(/`([^`]+)`/g)].map(([, address = '']) => address),
    pages: [...pages.matchAll(LINK)].map(([, target = '']) => path.join(path.dirname(ROWS_PAGE), target)),
    module,
  }));
}

/** Runs a step of a row. A failure names the row. A row may have several steps. */
export type Walk = <T>(row: string, step: () => Promise<T>) => Promise<T>;

export interface Rows {
  readonly walk: Walk;
  /** Fails with the rows of the page that no step has walked to its end. */
  assertAllWalked(): void;
}

export function createRows(rows: readonly Row[]): Rows {
  const known = new Map(rows.map((row) => [row.id, row]));
  const walked = new Set<string>();
  return {
    async walk(id, step) {
      const row = known.get(id);
      assert.ok(row !== undefined, `${ROWS_PAGE} has no row ${id}`);
      try {
        const result = await step();
        walked.add(id);
        return result;
      } catch (error) {
        throw new Error(`row ${id} (${row.what}) failed: ${String(error)}`, { cause: error });
      }
    },
    assertAllWalked() {
      assert.deepEqual(
        [...known.keys()].filter((id) => !walked.has(id)),
        [],
        'rows that were not walked',
      );
    },
  };
}
