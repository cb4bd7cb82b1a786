// Sends a file of users to the service.
import { Problem } from '../../api/problem.ts';
import { sessionFetch } from '../../api/session.ts';
import { fileOf, type UserRow } from './mapping.ts';
import type { ImportAnswer } from './outcome.ts';

interface SendOptions {
  readonly isDryRun: boolean;
  readonly mayCreate: boolean;
}

/** @throws Problem, UnreachableError */
export async function sendRows(rows: readonly UserRow[], { isDryRun, mayCreate }: SendOptions): Promise<ImportAnswer> {
  const query = new URLSearchParams({ details: 'true', dry_run: String(isDryRun), create_missing: String(mayCreate) });
  const form = new FormData();
  form.set('file', new Blob([fileOf(rows)], { type: 'text/csv' }), 'users.csv');
  const request = new Request(`/identity/api/admin/import-users?${query}`, { method: 'POST', body: form });
  const response = await sessionFetch(request);
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw new Problem(response, body);
  return body as ImportAnswer;
}
