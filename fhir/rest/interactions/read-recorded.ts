// Reads for an interaction, and records the access before anything is shown: in its transaction, on the primary, or
// from a standby (docs/adr/0129-read-replicas.md).
import type { ReadSource } from '#fhir/store/read/read-source.ts';
import type { AccessRecord as StoredAccessRecord } from '#lib/audit/access-batch.ts';
import { ServiceError } from '#lib/errors.ts';
import { isStandbyFailure, type StandbyRead } from '#lib/replicas/read-replicas.ts';
import type { RouteContext } from '../context.ts';
import { type AccessRecord, accessToStore, recordAccess } from './access-records.ts';
import type { FhirCall } from './call.ts';

/** A read of an interaction. It may run twice: on a standby, and then on the primary. */
export interface RecordedRead<T> {
  /** The statements that read. They disclose nothing. */
  readonly read: (source: ReadSource) => Promise<T>;
  /** What is recorded of it; undefined for nothing. */
  readonly recordOf: (found: T, source: ReadSource) => AccessRecord | undefined | Promise<AccessRecord | undefined>;
}

/** Returns what was read, when its access is recorded. @throws ServiceError as `read` does */
export async function readRecorded<T>(call: FhirCall, reading: RecordedRead<T>, context: RouteContext): Promise<T> {
  const { within, reader } = call.execution;
  const standby = reader === undefined ? undefined : await context.standbys?.replicas.begin(reader);
  if (standby !== undefined) {
    const shown = await readFromStandby(call, { standby, ...reading }, context);
    if (shown !== undefined) return shown.found;
  }
  const { primary } = context;
  const source = within === undefined ? primary : { ...primary, db: within, searches: undefined };
  const found = await reading.read(source);
  const record = await reading.recordOf(found, source);
  if (record !== undefined) await recordAccess(call, record, context);
  return found;
}

/**
 * Undefined when the primary is to be asked: the standby fails, or lacks the caller's own writes. So it is where it
 * refuses, since what is not there yet may be on the primary.
 */
async function readFromStandby<T>(
  call: FhirCall,
  { standby, read, recordOf }: RecordedRead<T> & { readonly standby: StandbyRead },
  context: RouteContext,
): Promise<{ readonly found: T } | undefined> {
  const { standbys } = context;
  if (standbys === undefined) return undefined;
  let found: T;
  let stored: StoredAccessRecord | undefined;
  try {
    const source = standbys.of(standby.server);
    found = await read(source);
    const record = await recordOf(found, source);
    stored = record && accessToStore(call, record, context);
    if (stored !== undefined) await context.options.accessLog.hold();
  } catch (error) {
    standby.abandon();
    const isFailure = isStandbyFailure(error);
    if (!isFailure && !(error instanceof ServiceError && error.status < 500)) throw error;
    standbys.replicas.repeated(isFailure ? 'failed' : 'missing');
    return undefined;
  }
  if (await standby.confirm(stored)) return { found };
  standbys.replicas.repeated('stale');
  return undefined;
}
