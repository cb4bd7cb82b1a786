// `kedja users`: imports and exports users as a CSV file (decision I13). It works on identity's database by the same
// code as identity's API, whether identity runs or not. Operators' page: docs/operations/users.md.
import { parseArgs } from 'node:util';
import { systemClock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { migrations } from '#services/identity/migrations.ts';
import { openResetCodes } from '#services/identity/recovery/standalone.ts';
import { openUserCsv } from '#services/identity/user-csv/standalone.ts';
import { operator } from '../operator.ts';
import type { CommandSite } from '../site.ts';
import { runOnSite } from '../site-command.ts';
import { exportToFile } from './users-export.ts';
import { importFromFile } from './users-import.ts';

const USAGE = `usage: kedja users import FILE [--dry-run] [--create-missing]
       kedja users export FILE
       kedja users reset-password EMAIL

import: makes the users of the file; who has an account is skipped. Errors go to standard output with their lines, the rest to
standard error. Exit code 0: no error; 1: some rows have errors, or nothing could be done; 130: stopped by Ctrl-C.
--dry-run: only says what would happen.
--create-missing: makes organisations and groups that do not exist.
export: writes all users; FILE - is standard output.
reset-password: prints a code by which the user chooses a new password at /reset-password; it works once, for 30 minutes.`;

type Command =
  | { readonly kind: 'import'; readonly file: string; readonly isDryRun: boolean; readonly mayCreate: boolean }
  | { readonly kind: 'export'; readonly file: string }
  | { readonly kind: 'reset-password'; readonly email: string };

/** Returns the exit code. */
export function runUsers(args: readonly string[]): Promise<number> {
  return runOnSite(args, { usage: USAGE, parse: parseCommand, run });
}

async function run(site: CommandSite, command: Command, signal: AbortSignal): Promise<number> {
  const database = await site.database('identity', migrations);
  if (command.kind === 'reset-password') return printResetCode(database, command.email);
  const users = await openUserCsv({
    database,
    clock: systemClock,
    sealingKeys: await site.keys.existingKeySet('personnummer'),
    importPassword: site.config.identity.importPassword,
  });
  const requester = { principal: operator(), decidedBy: null };
  return command.kind === 'import'
    ? importFromFile(users, command, { requester, signal })
    : exportToFile(users, command.file, { requester, signal });
}

/** The code goes to standard output, alone. */
async function printResetCode(database: Database, email: string): Promise<number> {
  const issue = openResetCodes({ database, clock: systemClock });
  const { code, expiresAt } = await issue({ principal: operator(), email, language: 'sv', origin: {} });
  console.log(code);
  console.error(`The code works once, until ${expiresAt.toISOString()}, at /reset-password of identity.`);
  return 0;
}

function parseCommand(args: readonly string[]): Command | undefined {
  const [name, ...rest] = args;
  const options = { 'dry-run': { type: 'boolean' }, 'create-missing': { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ args: rest, options, allowPositionals: true });
  const [file, ...more] = positionals;
  if (file === undefined || file === '' || more.length > 0) return undefined;
  const { 'dry-run': isDryRun = false, 'create-missing': mayCreate = false } = values;
  if (name === 'reset-password') return !isDryRun && !mayCreate ? { kind: name, email: file } : undefined;
  if (name === 'import') return { kind: name, file, isDryRun, mayCreate };
  return name === 'export' && !isDryRun && !mayCreate ? { kind: name, file } : undefined;
}
