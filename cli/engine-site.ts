// What commands that work straight in the engine's database need of it.
import { type Clock, systemClock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { createLogger, type Logger } from '#lib/log/logger.ts';
import { createEngineStore } from '#services/engine/engine-store.ts';
import { migrations } from '#services/engine/migrations.ts';
import { addressesOf, fhirBaseOf } from '../config.ts';
import type { CommandSite } from './site.ts';

export interface EngineSite {
  readonly database: Database;
  readonly clock: Clock;
  /** Says nothing: a command tells its user what happens. */
  readonly log: Logger;
  /** Of the engine's FHIR resources. */
  readonly baseUrl: string;
  /** In the order of which language texts are sorted. */
  readonly sortLanguage: string;
}

/** The engine's database, with its schema as this release has it, and a store on it. */
export async function openEngine(
  site: CommandSite,
): Promise<{ readonly deps: EngineSite; readonly store: ReturnType<typeof createEngineStore> }> {
  const deps = {
    database: await site.database('engine', migrations),
    clock: systemClock,
    log: createLogger({ level: 'silent', format: 'json' }),
    baseUrl: fhirBaseOf('engine', addressesOf(site.config)),
    sortLanguage: site.config.shared.sortLanguage,
  };
  return { deps, store: createEngineStore(deps) };
}
