// The engine put together: what main.ts needs to serve it. It neither listens nor reads the environment.
import type { Clock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { loadSearchParameters } from '#lib/fhir/search/definitions.ts';
import { validateResource } from '#lib/fhir/validate.ts';
import { createFhirStore } from '#lib/fhir-store/store.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import type { ReadinessCheck } from '#lib/http/operations.ts';
import type { Logger } from '#lib/log/logger.ts';
import { createResourceWriter } from './fhir/resource-writer.ts';
import { createLibrary } from './library.ts';

export interface EngineDependencies {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  /** The absolute address of the FHIR base as others reach it, without a trailing slash: `https://…/engine/api/v1`. */
  readonly baseUrl: string;
}

export interface EngineService {
  readonly plugin: (app: HttpApp) => Promise<void>;
  readonly readiness: readonly ReadinessCheck[];
  /** Starts the background loops. */
  start(): Promise<void>;
  /** Lets the background loops finish what they do. */
  stop(): Promise<void>;
}

export async function createEngineService(deps: EngineDependencies): Promise<EngineService> {
  const { database, clock } = deps;
  const store = createFhirStore({ parameters: loadSearchParameters(), clock, validate: validateResource });
  const writer = createResourceWriter(store);
  const library = createLibrary({ database, clock, writer, baseUrl: deps.baseUrl });
  return {
    plugin: async (app) => {
      library(app);
    },
    readiness: [],
    start: async () => {},
    stop: async () => {},
  };
}
