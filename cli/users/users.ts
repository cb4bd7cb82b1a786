// `kedja users`: imports and exports users as a CSV file (decision I13). It works on identity's database by the same
// code as identity's API, whether identity runs or not. Operators' page: docs/operations/users.md.
import { parseArgs } from 'node:util';
import { systemClock } from '#lib/clock.ts';
import { migrations } from '#services/identity/migrations.ts';
import { openUserCsv } from '#services/identity/user-csv/standalone.ts';
import { operator } from '../operator.ts';
import type { CommandSite } from '../site.ts';
import { runOnSite } from '../site-command.ts';
import { exportToFile } from './users-export.ts';
import { importFromFile } from './users-import.ts';

const USAGE = `usage: kedja users import FILE [--dry-run] [--create-missing]
       kedja users export FILE

import: makes the users of the file; who has an account is skipped. Errors go to standard output with their lines, the rest to
standard error. Exit code 0: no error; 1: some rows have errors, or nothing could be done; 130: stopped by Ctrl-C.
--dry-run: only says what would happen.
--create-missing: makes organisations and groups that do not exist.
export: writes all users; FILE - is standard output.`;

type Command =
  | { readonly kind: 'import'; readonly file: string; readonly isDryRun: boolean; readonly mayCreate: boolean }
  | { readonly kind: 'export'; readonly file: string };

/** Returns the exit code. */
export function runUsers(args: readonly string[]): Promise<number> {
  return runOnSite(args, { usage: USAGE, parse: parseCommand, run });
}

async function run(site: CommandSite, command: Command, signal: AbortSignal): Promise<number> {
  const users = await openUserCsv({
    database: await site.database('identity', migrations),
    clock: systemClock,
    sealingKeys: await site.keys.existingKeySet('personnummer'),
    importPassword: site.config.identity.importPassword,
  });
  const requester = { principal: operator(), decidedBy: null };
  return command.kind === 'import'
    ? importFromFile(users, command, { requester, signal })
    : exportToFile(users, command.file, { requester, signal });
}

function parseCommand(args: readonly string[]): Command | undefined {
  const [name, ...rest] = args;
  const options = { 'dry-run': { type: 'boolean' }, 'create-missing': { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ args: rest, options, allowPositionals: true });
  const [file, ...more] = positionals;
  if (file === undefined || file === '' || more.length > 0) return undefined;
  const { 'dry-run': isDryRun = false, 'create-missing': mayCreate = false } = values;
  if (name === 'import') return { kind: name, file, isDryRun, mayCreate };
  return name === 'export' && !isDryRun && !mayCreate ? { kind: name, file } : undefined;
}
