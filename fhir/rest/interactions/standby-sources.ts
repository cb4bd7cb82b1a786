// The standbys as interactions read from them (docs/adr/0129-read-replicas.md).
import { createReadSource, type ReadSource } from '#fhir/store/read/read-source.ts';
import type { ReadReplicas, Server } from '#lib/replicas/read-replicas.ts';
import type { FhirRestOptions } from '../options.ts';

/** The standbys, with what batches the reads from each. */
export interface StandbySources {
  readonly replicas: ReadReplicas;
  of(server: Server): ReadSource;
}

export function createStandbySources(options: FhirRestOptions): StandbySources | undefined {
  const { replicas, store } = options;
  if (replicas === undefined) return undefined;
  const { parameters, from } = store;
  const sources = new WeakMap<Server, ReadSource>();
  return {
    replicas,
    of(server) {
      const known = sources.get(server);
      if (known !== undefined) return known;
      const made = createReadSource({ ...options, database: server.db, parameters, from }, true);
      sources.set(server, made);
      return made;
    },
  };
}
