// Saves what a service sends as a file. A link would carry no mark of the console, so the file is fetched.
import { Problem } from './problem.ts';
import { sessionFetch } from './session.ts';

/** @throws Problem, UnreachableError */
export async function saveFile(address: string, name: string): Promise<void> {
  const response = await sessionFetch(new Request(address));
  if (!response.ok) throw new Problem(response, await response.json().catch(() => undefined));
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
