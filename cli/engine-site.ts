// What commands that work on the engine's database need.
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
  /** Logs nothing, as a command prints its own messages. */
  readonly log: Logger;
  /** Of the engine's FHIR resources. */
  readonly baseUrl: string;
  /** The language whose order sorts texts. */
  readonly sortLanguage: string;
}

/** Opens the engine's database with the schema of this release, and a FHIR store on it. */
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
