// `kedja terminology list`, `status` and `remove`: the code systems that were imported from files.
// Reference: docs/reference/engine/terminology-import.md.
import { parseArgs } from 'node:util';
import {
  type ImportedSystem,
  type ImportedTerminology,
  openImportedTerminology,
} from '#services/engine/terminology/imported.ts';
import { openEngine } from './engine-site.ts';
import { operator } from './operator.ts';
import { count, printable } from './printable.ts';
import type { CommandSite } from './site.ts';
import { tableOf } from './table.ts';

export type ImportedCommand =
  | { readonly kind: 'list'; readonly isJson: boolean }
  | { readonly kind: 'status'; readonly isJson: boolean; readonly canonical: string | undefined }
  | { readonly kind: 'remove'; readonly canonical: string; readonly isConfirmed: boolean };

/** Definitions that are named in one line of output; the rest are counted. */
const SHOWN_USES = 20;

/** Undefined for other arguments. @throws Error of `parseArgs` */
export function parseImported([kind, ...args]: readonly string[]): ImportedCommand | undefined {
  if (kind !== 'list' && kind !== 'status' && kind !== 'remove') return undefined;
  if (kind === 'remove') {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { yes: { type: 'boolean' } } });
    const [canonical, ...more] = positionals;
    if (canonical === undefined || more.length > 0) return undefined;
    return { kind, canonical, isConfirmed: values.yes === true };
  }
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { json: { type: 'boolean' } } });
  const [canonical, ...more] = positionals;
  const isJson = values.json === true;
  if (more.length > 0) return undefined;
  if (kind === 'status') return { kind, isJson, canonical };
  return canonical === undefined ? { kind, isJson } : undefined;
}

/** Returns the exit code. @throws Error with a message for an operator */
export async function runImported(site: CommandSite, command: ImportedCommand): Promise<number> {
  const { deps, store } = await openEngine(site);
  const imported = await openImportedTerminology(store, deps);
  try {
    switch (command.kind) {
      case 'list':
        return printList(await imported.list(), command.isJson);
      case 'status':
        return await printStatus(imported, command);
      case 'remove':
        return await remove(imported, command);
      default:
        return command satisfies never;
    }
  } finally {
    await imported.close();
  }
}

function printList(systems: readonly ImportedSystem[], isJson: boolean): number {
  if (isJson) console.log(JSON.stringify(systems.map(asJson), undefined, 2));
  else if (systems.length === 0) console.error('No code system has been imported.');
  else console.log(tableOf([HEAD, ...systems.map(cellsOf)]));
  return 0;
}

const HEAD = ['URL', 'VERSION', 'CONCEPTS', 'SIZE', 'IMPORTED', 'LICENCE'];

function cellsOf({ url, version, concepts, bytes, importedAt, copyright }: ImportedSystem): string[] {
  return [url, version ?? '-', count(concepts), size(bytes), importedAt.toISOString(), firstLine(copyright ?? '-')];
}

/** The members of the JSON output; what is absent in the CodeSystem is null. */
function asJson(system: ImportedSystem): object {
  return {
    id: system.id,
    url: system.url,
    version: system.version ?? null,
    name: system.name ?? null,
    title: system.title ?? null,
    status: system.status ?? null,
    content: system.content ?? null,
    concepts: system.concepts,
    bytes: system.bytes,
    copyright: system.copyright ?? null,
    imported_at: system.importedAt.toISOString(),
    properties: system.properties,
    languages: system.languages,
  };
}

async function printStatus(
  imported: ImportedTerminology,
  { canonical, isJson }: { readonly canonical: string | undefined; readonly isJson: boolean },
): Promise<number> {
  const systems = await imported.list();
  if (canonical === undefined) return printTotals(systems, isJson);
  const found = matching(systems, canonical);
  const withUses: { system: ImportedSystem; uses: readonly string[] }[] = [];
  for (const system of found) withUses.push({ system, uses: await imported.uses(system) });
  if (isJson) {
    const shown = withUses.map(({ system, uses }) => ({ ...asJson(system), used_by: uses }));
    console.log(JSON.stringify(shown, undefined, 2));
  } else console.log(withUses.map(({ system, uses }) => tableOf(factsOf(system, uses))).join('\n\n'));
  return 0;
}

function printTotals(systems: readonly ImportedSystem[], isJson: boolean): number {
  const sum = (of: (system: ImportedSystem) => number) => systems.reduce((total, each) => total + of(each), 0);
  const [concepts, bytes] = [sum((each) => each.concepts), sum((each) => each.bytes)];
  const named = `${count(systems.length)} code system${systems.length === 1 ? '' : 's'}`;
  if (isJson) console.log(JSON.stringify({ code_systems: systems.length, concepts, bytes }, undefined, 2));
  else console.log(`${named}, ${count(concepts)} concepts, ${size(bytes)}`);
  return 0;
}

function factsOf(system: ImportedSystem, uses: readonly string[]): (readonly string[])[] {
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['url', system.url],
    ['version', system.version],
    ['title', system.title ?? system.name],
    ['status', system.status],
    ['resource', `CodeSystem/${system.id}, version ${system.resourceVersion}`],
    ['concepts', count(system.concepts)],
    ['size', size(system.bytes)],
    ['imported', system.importedAt.toISOString()],
    ['properties', system.properties.join(', ')],
    ['languages', system.languages.join(', ')],
    ['licence', system.copyright === undefined ? undefined : firstLine(system.copyright)],
    ['used by', usesText(uses)],
  ];
  return facts.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value]]));
}

async function remove(
  imported: ImportedTerminology,
  { canonical, isConfirmed }: { readonly canonical: string; readonly isConfirmed: boolean },
): Promise<number> {
  const [system, ...more] = matching(await imported.list(), canonical);
  if (system === undefined) return 1;
  if (more.length > 0) {
    const versions = [system, ...more].map(named).join(', ');
    throw new Error(`${printable(canonical)} has several versions: name one of ${versions}`);
  }
  const uses = await imported.uses(system);
  const what = `${named(system)} (CodeSystem/${system.id}, ${count(system.concepts)} concepts)`;
  console.error(`${printable(what)} is used by ${usesText(uses)}.`);
  if (!isConfirmed) {
    console.error('Nothing was removed. Add --yes to remove it.');
    return 1;
  }
  if (!(await imported.remove(system, operator()))) throw new Error(`${named(system)} has been removed already`);
  console.error(`${printable(named(system))} was removed.`);
  return 0;
}

/** @throws Error when there is none */
function matching(systems: readonly ImportedSystem[], canonical: string): readonly ImportedSystem[] {
  const found = systems.filter((each) => named(each) === canonical || each.url === canonical);
  if (found.length > 0) return found;
  throw new Error(`No code system ${printable(canonical)} has been imported; "kedja terminology list" names them`);
}

function named({ url, version }: ImportedSystem): string {
  return version === undefined ? url : `${url}|${version}`;
}

function usesText(uses: readonly string[]): string {
  if (uses.length === 0) return 'no stored definition';
  const more = uses.length - SHOWN_USES;
  return `${uses.slice(0, SHOWN_USES).join(', ')}${more > 0 ? ` and ${count(more)} more` : ''}`;
}

const FIRST_LINE = 100;

function firstLine(text: string): string {
  const [line = ''] = text.split('\n');
  return line.length > FIRST_LINE ? `${line.slice(0, FIRST_LINE)}…` : line;
}

function size(bytes: number): string {
  return `${(bytes / 1_000_000).toLocaleString('en', { maximumFractionDigits: 1 })} MB`;
}
