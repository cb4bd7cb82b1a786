// Saves what a service sends as a file. A link would carry no mark of the console, so the file is fetched.
import { Problem } from './problem.ts';
import { sessionFetch } from './session.ts';

/** @throws Problem, UnreachableError */
export async function saveFile(address: string, name: string): Promise<void> {
  const response = await sessionFetch(new Request(address));
  if (!response.ok) throw new Problem(response, await response.json().catch(() => undefined));
  saveBlob(await response.blob(), name);
}

/** Saves a table that the console has made. The mark says to spreadsheets that it is UTF-8. */
export function saveText(text: string, name: string): void {
  saveBlob(new Blob([`\uFEFF${text}`], { type: 'text/csv' }), name);
}

function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
