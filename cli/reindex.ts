// `kedja reindex`: rebuilds the search index of FHIR resources (docs/adr/0004). It works on the databases of the engine
// and of dispatch, whether they run or not. Operators' page: docs/operations/reindex.md.
import { parseArgs } from 'node:util';
import { loadSearchParameters, type SearchParameters } from '#fhir/search/parameters/definitions.ts';
import { reindex } from '#fhir/store/index/reindex.ts';
import type { Database } from '#lib/db/database.ts';
import { addressesOf, fhirBaseOf } from '../config.ts';
import { createProgress } from './progress.ts';
import { MIGRATIONS } from './services.ts';
import type { CommandSite } from './site.ts';
import { runOnSite } from './site-command.ts';

const USAGE = `usage: kedja reindex [--service engine|dispatch] [--type TYPE]... [--restart]

Rebuilds the search index, whether Kedja runs or not. Ctrl-C ends it; the same command goes on from there.
--service: only this one; otherwise both, as far as KEDJA_SERVICES names them.
--type: only resources of this type, such as Patient; may be repeated.
--restart: repeats also what an earlier run has done.
Exit code 0: done; 1: nothing could be done; 130: stopped by Ctrl-C.`;

const STOPPED = 130;

const SERVICES = { engine: MIGRATIONS.engine, dispatch: MIGRATIONS.dispatch } as const;
type Service = keyof typeof SERVICES;

interface Command {
  readonly service: Service | undefined;
  readonly types: readonly string[] | undefined;
  readonly restart: boolean;
}

/** Returns the exit code. */
export function runReindex(args: readonly string[]): Promise<number> {
  return runOnSite(args, { usage: USAGE, parse: parseCommand, check: requireTypes, run });
}

function parseCommand(args: readonly string[]): Command | undefined {
  const options = {
    service: { type: 'string' },
    type: { type: 'string', multiple: true },
    restart: { type: 'boolean' },
  } as const;
  const { service, type: types, restart = false } = parseArgs({ args: [...args], options }).values;
  if (service !== undefined && !isService(service)) return undefined;
  return { service, types, restart };
}

function isService(name: string): name is Service {
  return Object.hasOwn(SERVICES, name);
}

function requireTypes({ types = [] }: Command): void {
  const { resourceTypes } = loadSearchParameters();
  const unknown = types.filter((type) => !resourceTypes.has(type));
  if (unknown.length > 0) throw new Error(`FHIR R5 has no resource type ${unknown.join(', ')}`);
}

async function run(site: CommandSite, command: Command, signal: AbortSignal): Promise<number> {
  const named = site.config.shared.services.filter(isService);
  const services = command.service === undefined ? named : [command.service];
  if (services.length === 0)
    throw new Error('KEDJA_SERVICES names neither engine nor dispatch: name one with --service');
  // Begins only when all databases can be opened.
  const databases: [Service, Database][] = [];
  for (const service of services) databases.push([service, await site.database(service, SERVICES[service])]);
  for (const [service, database] of databases) {
    const parameters = loadSearchParameters(
      fhirBaseOf(service, addressesOf(site.config)),
      site.config.shared.sortLanguage,
    );
    if (!(await reindexService(service, database, { command, parameters, signal }))) return STOPPED;
  }
  return 0;
}

/** Whether it was completed. */
async function reindexService(
  service: Service,
  database: Database,
  {
    command,
    parameters,
    signal,
  }: { readonly command: Command; readonly parameters: SearchParameters; readonly signal: AbortSignal },
): Promise<boolean> {
  const progress = createProgress(process.stderr);
  const { types, restart } = command;
  try {
    const report = await reindex(database, parameters, {
      ...(types === undefined ? {} : { types }),
      restart,
      signal,
      onProgress: ({ own, done, total }) => progress.show(own, done / Math.max(1, total)),
    });
    progress.clear();
    const count = (n: number) => n.toLocaleString('en');
    if (report.isStopped) {
      const sofar = `${service}: stopped after ${count(report.done)} of ${count(report.total)} resources.`;
      console.error(`${sofar} The same command goes on from there.`);
    } else {
      const earlier = report.own < report.total ? `, ${count(report.own)} of them by this run` : '';
      console.error(`${service}: ${count(report.total)} resources indexed${earlier}.`);
    }
    return !report.isStopped;
  } finally {
    progress.clear();
  }
}
