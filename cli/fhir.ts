// `kedja fhir`: imports and exports FHIR resources as NDJSON files. It works on the engine's database by the same code
// as $import and $export, whether the engine runs or not. Operators' page: docs/operations/fhir-files.md.
import { parseArgs } from 'node:util';
import { openBulk } from '#services/engine/bulk/standalone.ts';
import { openEngine } from './engine-site.ts';
import { type ExportCommand, exportToFolder } from './fhir-export.ts';
import { type ImportCommand, importFiles } from './fhir-import.ts';
import type { CommandSite } from './site.ts';
import { runOnSite } from './site-command.ts';

const USAGE = `usage: kedja fhir import FILE... [--dry-run] [--again]
       kedja fhir export FOLDER [--type TYPE]... [--since INSTANT]

import: writes the resources of NDJSON files (.ndjson, .gz, or folders of them): new ones are made, others get a new version, what is
the same is left alone. Lines with errors are left out and named on standard output. Ctrl-C ends it; the same command goes on from there.
--dry-run: only reads and checks.
--again: imports again what was imported before.
export: writes all resources, as they are now, to files of a new or empty folder.
--type: only resources of this type, such as Patient; may be repeated.
--since: only what was changed after this, such as 2026-01-31T12:00:00Z.
Exit code 0: done, no error; 1: some lines have errors, or nothing could be done; 130: stopped by Ctrl-C.`;

type Command = ImportCommand | ExportCommand;

/** Returns the exit code. */
export function runFhir(args: readonly string[]): Promise<number> {
  return runOnSite(args, { usage: USAGE, parse: parseCommand, run });
}

async function run(site: CommandSite, command: Command, signal: AbortSignal): Promise<number> {
  const { deps, store } = await openEngine(site);
  const bulk = await openBulk(store, deps);
  try {
    return command.kind === 'import'
      ? await importFiles(bulk, command, signal)
      : await exportToFolder(bulk, command, signal);
  } finally {
    await bulk.close();
  }
}

const OPTIONS = {
  'dry-run': { type: 'boolean' },
  again: { type: 'boolean' },
  type: { type: 'string', multiple: true },
  since: { type: 'string' },
} as const;

function parseCommand(args: readonly string[]): Command | undefined {
  const [kind, ...rest] = args;
  const { values, positionals } = parseArgs({ args: rest, options: OPTIONS, allowPositionals: true });
  const { 'dry-run': isDryRun = false, again: isAgain = false, type: types = [], since } = values;
  const [first] = positionals;
  if (first === undefined || positionals.includes('')) return undefined;
  const isForExport = types.length > 0 || since !== undefined;
  if (kind === 'import' && !isForExport) return { kind, paths: positionals, isDryRun, isAgain };
  if (kind !== 'export' || isDryRun || isAgain || positionals.length > 1) return undefined;
  return { kind, folder: first, types, since };
}
