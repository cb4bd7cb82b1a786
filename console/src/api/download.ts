// Saves what a service sends as a file. A link would carry no mark of the console, so the file is fetched.
import { currentLanguage } from '../i18n/i18n.ts';
import { type CsvCell, harmless, spreadsheetForm, writeCsv } from '../shared/csv.ts';
import { Problem } from './problem.ts';
import { sessionFetch } from './session.ts';

/** @throws Problem, UnreachableError */
export async function saveFile(address: string, name: string): Promise<void> {
  const response = await sessionFetch(new Request(address));
  if (!response.ok) throw new Problem(response, await response.json().catch(() => undefined));
  saveBlob(await response.blob(), name);
}

/**
 * Saves a table that the console has made, as spreadsheets in the language of the page read it. The mark says to them
 * that it is UTF-8.
 */
export function saveTable(rows: readonly (readonly CsvCell[])[], name: string): void {
  const text = writeCsv(
    rows.map((row) => row.map(harmless)),
    spreadsheetForm(currentLanguage()),
  );
  saveBlob(new Blob(['\uFEFF', text], { type: 'text/csv;charset=utf-8' }), name);
}

/** Saves what the console has put together. */
export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
