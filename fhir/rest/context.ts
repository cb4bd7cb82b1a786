// The context of all FHIR routes: the service's options, R5's definitions, batchers and concurrency limits.

import { type Definitions, r5Definitions } from '#fhir/definitions/definitions.ts';
import { createReadSource, type ReadSource } from '#fhir/store/read/read-source.ts';
import { ServiceError } from '#lib/errors.ts';
import { type ConcurrencyLimit, createConcurrencyLimit } from '#lib/jobs/concurrency-limit.ts';
import type { WriteGroups } from './interactions/call.ts';
import { createStandbySources, type StandbySources } from './interactions/standby-sources.ts';
import { createWriteGroups } from './interactions/write/write-groups.ts';
import type { FhirRestOptions } from './options.ts';

export interface RouteContext {
  readonly options: FhirRestOptions;
  readonly definitions: Definitions;
  /** Reads outside of transactions. */
  readonly primary: ReadSource;
  readonly standbys: StandbySources | undefined;
  /** Creates and updates, several requests' together. */
  readonly groups: WriteGroups;
  /** Transaction bundles take turns: each holds a connection for all of its work, and others want some too. */
  readonly bundleTurns: ConcurrencyLimit;
  /** Large bundles take turns too: each is in memory until it is carried out. */
  readonly longBundles: ConcurrencyLimit;
}

/** So many of a service's connections transaction bundles hold at once. */
const BUNDLES_AT_ONCE = 6;
const LONG_BUNDLES_AT_ONCE = 2;
/** A transaction that waits longer than this is refused with a Retry-After. */
const BUNDLE_PATIENCE_MS = 30_000;
const RETRY_AFTER_SECONDS = 5;

const TURNS = { patienceMs: BUNDLE_PATIENCE_MS, timeoutError: tooManyBundles };

export function createContext(options: FhirRestOptions): RouteContext {
  const { parameters, from } = options.store;
  return {
    options,
    definitions: r5Definitions(),
    primary: createReadSource({ ...options, parameters, from }, false),
    standbys: createStandbySources(options),
    groups: createWriteGroups(options),
    bundleTurns: createConcurrencyLimit({ ...TURNS, atOnce: BUNDLES_AT_ONCE }),
    longBundles: createConcurrencyLimit({ ...TURNS, atOnce: LONG_BUNDLES_AT_ONCE }),
  };
}

function tooManyBundles(): ServiceError {
  return new ServiceError('unavailable', 'Too many transactions are running; this one was not carried out', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

/** `https://…/Patient/1`. */
export function urlOf({ options }: RouteContext, { resourceType, id }: { resourceType: string; id: string }): string {
  return `${options.baseUrl}/${resourceType}/${id}`;
}
