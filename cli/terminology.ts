// `kedja terminology`: imports code systems of any size from files, lists and removes them. It works on the engine's
// database, whether the engine runs or not. Reference: docs/reference/engine/terminology-import.md.
import { statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { FileIssue } from '#fhir/terminology/import/assembly.ts';
import { formOf, type ReadFile, readCodeSystemFile } from '#fhir/terminology/import/code-system-file.ts';
import type { ReleaseOptions } from '#fhir/terminology/import/releases/reading.ts';
import {
  RELEASE_FORMATS,
  type ReleaseFormatName,
  readRelease as readReleaseFiles,
  releaseFormatOf,
} from '#fhir/terminology/import/releases/release.ts';
import type { Json } from '#fhir/terminology/json.ts';
import { type CodeSystemImport, openCodeSystemImport } from '#services/engine/terminology/import.ts';
import { openEngine } from './engine-site.ts';
import { type ImportedCommand, parseImported, runImported } from './imported-terminology.ts';
import { operator } from './operator.ts';
import { count, printable } from './printable.ts';
import { createProgress, type Progress } from './progress.ts';
import type { CommandSite } from './site.ts';
import { runOnSite } from './site-command.ts';

const USAGE = `usage: kedja terminology import FILE [--dry-run]
       kedja terminology import FILE.csv --url URL [--version VERSION] [--name NAME] [--title TITLE] [--language LANGUAGE] [--dry-run]
       kedja terminology import PATH --format FORMAT [--url URL] [--version VERSION] [--title TITLE] [--copyright TEXT] [--dry-run]
       kedja terminology list [--json]
       kedja terminology status [URL[|VERSION]] [--json]
       kedja terminology remove URL[|VERSION] [--yes]

import: imports one code system from FHIR JSON (.json), lines of JSON (.ndjson) or CSV (.csv), also compressed (.gz). All of it is imported or nothing:
a file with errors changes nothing, and so does one that is stopped on the way. Each error is named with its line on standard output.
A CodeSystem of the same URL and version is replaced; another version stands beside those that are there, and the latest goes first.
--format: the form in which a release is published: ${Object.keys(RELEASE_FORMATS).join(', ')}. PATH is then a folder, a ZIP archive or a file.
A folder or a ZIP archive without --format is a release of SNOMED CT in RF2, of which the snapshot is read.
--dry-run: only reads and checks.
list: the imported code systems with version, concepts, size, time of the import and licence.
status: the totals; of one code system also its properties, languages and the stored definitions that use it.
remove: names the stored definitions that use the code system, and deletes it and its codes when --yes is given.
Exit code 0: done, or no error; 1: the file has errors, nothing could be done, or --yes is missing; 130: stopped by Ctrl-C.`;

const STOPPED = 130;

type Command = ImportCommand | ImportedCommand;

interface ImportCommand {
  readonly kind: 'import';
  readonly path: string;
  readonly isDryRun: boolean;
  /** The CodeSystem's metadata for a CSV file, which has none. */
  readonly head: Json | undefined;
  /** The form of a release, and what is said of its code system. */
  readonly release: { readonly format: ReleaseFormatName; readonly options: ReleaseOptions } | undefined;
}

/** Returns the exit code. */
export function runTerminology(args: readonly string[]): Promise<number> {
  return runOnSite(args, { usage: USAGE, parse: parseCommand, check: requireForm, run });
}

const OPTIONS = {
  'dry-run': { type: 'boolean' },
  url: { type: 'string' },
  version: { type: 'string' },
  name: { type: 'string' },
  title: { type: 'string' },
  language: { type: 'string' },
  copyright: { type: 'string' },
  format: { type: 'string' },
} as const;

function parseCommand(args: readonly string[]): Command | undefined {
  const [kind, ...rest] = args;
  if (kind !== 'import') return parseImported(args);
  const { values, positionals } = parseArgs({ args: rest, options: OPTIONS, allowPositionals: true });
  const { 'dry-run': isDryRun = false, format, ...said } = values;
  const [path = '', ...more] = positionals;
  if (path === '' || more.length > 0) return undefined;
  const named = format ?? (isRelease(path) ? 'snomed' : undefined);
  if (named !== undefined) return { kind, path, isDryRun, head: undefined, release: readRelease(named, said) };
  const isCsv = formOf(path) === 'csv';
  if (isCsv !== (said.url !== undefined) || (!isCsv && Object.keys(said).length > 0)) return undefined;
  return { kind, path, isDryRun, head: isCsv ? headOf(said) : undefined, release: undefined };
}

/** A folder or a ZIP archive. */
function isRelease(path: string): boolean {
  return /\.zip$/i.test(path) || statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** @throws Error for a form that is not known, or that does not say its URL or licence */
function readRelease(given: string, options: ReleaseOptions): NonNullable<ImportCommand['release']> {
  const format = releaseFormatOf(given);
  if (format === undefined)
    throw new Error(`--format must be one of ${Object.keys(RELEASE_FORMATS).join(', ')}, not "${printable(given)}"`);
  const { needsUrl, needsCopyright } = RELEASE_FORMATS[format];
  if (needsUrl && options.url === undefined)
    throw new Error(`--url must say the URL of the code system, which a release in the format ${format} does not`);
  if (needsCopyright && options.copyright === undefined)
    throw new Error(
      `--copyright must name the licence of the code system, which a release in the format ${format} does not`,
    );
  return { format, options };
}

function headOf(said: Json): Json {
  const fixed = { resourceType: 'CodeSystem', status: 'active', content: 'complete', hierarchyMeaning: 'is-a' };
  return { ...fixed, ...said };
}

function requireForm(command: Command): void {
  if (command.kind === 'import' && command.release === undefined && formOf(command.path) === undefined)
    throw new Error(
      `${command.path}: the name must end in .json, .ndjson or .csv, or in these and .gz; or --format says what it is`,
    );
}

async function run(site: CommandSite, command: Command, signal: AbortSignal): Promise<number> {
  if (command.kind !== 'import') return runImported(site, command);
  const { deps, store } = await openEngine(site);
  const target = await openCodeSystemImport(store, deps);
  try {
    return await importFile(target, command, signal);
  } finally {
    await target.close();
  }
}

async function importFile(target: CodeSystemImport, command: ImportCommand, signal: AbortSignal): Promise<number> {
  const name = printable(command.path);
  const progress = createProgress(process.stderr);
  let read: ReadFile | undefined;
  try {
    const { file, issues } = await readFile(target, command, { progress, signal });
    read = file;
    progress.clear();
    if (signal.aborted) return stopped();
    if (file === undefined) {
      console.error(`${name}: ${issues} error${issues === 1 ? '' : 's'}; nothing was imported.`);
      return 1;
    }
    const codes = file.columns.size;
    if (command.isDryRun) {
      console.error(`${name}: ${count(codes)} codes would be imported.`);
      printLicence(file.head);
      return 0;
    }
    const onProgress = (share: number) => progress.show(codes, READING + share * (1 - READING));
    const written = await target.write(file, { principal: operator(), onProgress, signal });
    progress.clear();
    if (written === undefined) return stopped();
    const { id, version } = written;
    const canonical = [file.head['url'], file.head['version']].filter((each) => each !== undefined).join('|');
    const replaced = version === 1 ? '' : `, in the place of what was there (version ${version} of the resource)`;
    console.error(`${name}: ${count(codes)} codes of ${printable(canonical)} imported as CodeSystem/${id}${replaced}.`);
    printLicence(file.head);
    return 0;
  } finally {
    read?.close();
    progress.clear();
  }
}

function printLicence({ copyright }: Json): void {
  if (typeof copyright === 'string') console.error(`Licence: ${printable(copyright)}`);
}

/** The approximate share of reading in the whole time; the rest is storing. */
const READING = 0.8;

/** The contents of the file or release, and the number of errors that were printed. */
async function readFile(
  { checkHead }: CodeSystemImport,
  { path, head, release }: ImportCommand,
  { progress, signal }: { readonly progress: Progress; readonly signal: AbortSignal },
): Promise<{ file: ReadFile | undefined; issues: number }> {
  let issues = 0;
  const reading = {
    path,
    checkHead,
    onIssue: ({ file = path, line, message }: FileIssue) => {
      issues += 1;
      progress.clear();
      console.log(`${printable(file)}:${line}: ${printable(message)}`);
    },
    onProgress: ({ concepts, share }: { readonly concepts: number; readonly share: number }) =>
      progress.show(concepts, share * READING),
    signal,
  };
  const file =
    release === undefined
      ? await readCodeSystemFile({ ...reading, ...(head === undefined ? {} : { head }) })
      : await readReleaseFiles({ ...reading, ...release });
  return { file, issues };
}

function stopped(): number {
  console.error('Stopped: nothing was imported.');
  return STOPPED;
}
