// Imports a code system from a file for a command, directly into the engine's database and in one transaction
// (docs/adr/0019).

import { readResourceText } from '#fhir/resources/resource-text.ts';
import { ALL_ACCESS } from '#fhir/store/access.ts';
import { dropUnusedColumns, withColumns, writeColumns } from '#fhir/store/definitions/code-system-columns.ts';
import type { FhirStore } from '#fhir/store/store.ts';
import type { ReadFile } from '#fhir/terminology/import/code-system-file.ts';
import type { Json } from '#fhir/terminology/json.ts';
import { createAudit } from '#lib/audit/audit.ts';
import type { Principal } from '#lib/auth/principal.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import type { EngineStore } from '../engine-store.ts';

export interface CodeSystemImport {
  /** Returns the error messages of a CodeSystem without its concepts. */
  checkHead(head: Json): readonly string[];
  /**
   * Writes the code system; undefined when the signal stopped it, and then nothing is written.
   * @throws ServiceError `precondition_failed` when several CodeSystems have the same URL and version
   */
  write(file: ReadFile, by: WriteOptions): Promise<WrittenSystem | undefined>;
  close(): Promise<void>;
}

export interface WriteOptions {
  readonly principal: Principal;
  readonly onProgress: (share: number) => void;
  readonly signal: AbortSignal;
}

export interface WrittenSystem {
  readonly id: string;
  /** The version of the CodeSystem: 1 when it is new. */
  readonly version: number;
}

export async function openCodeSystemImport(
  { store, node, profileNode }: EngineStore,
  { database, clock }: { readonly database: Database; readonly clock: Clock },
): Promise<CodeSystemImport> {
  await Promise.all([node.start(), profileNode.start()]);
  const audit = createAudit({ database, clock, service: 'engine' });
  return {
    checkHead: (head) => issuesOf(() => store.check(readResourceText(JSON.stringify(head)))),
    write: (file, { principal, onProgress, signal }) =>
      runUntilAborted(database, signal, async (tx) => {
        const known = await findKnown(tx, store, file.head);
        const id = known ?? newGuid();
        const guid = await writeColumns(tx, { id, columns: file.columns }, (share) => {
          signal.throwIfAborted();
          onProgress(share);
        });
        const resource = withColumns({ ...stored(file), id }, guid);
        const source = readResourceText(JSON.stringify(resource));
        const written = await store.update(tx, {
          resourceType: 'CodeSystem',
          id,
          source,
          organisation: null,
          access: ALL_ACCESS,
        });
        await dropUnusedColumns(tx);
        const entities = [`CodeSystem/${id}`];
        await audit.record(tx, {
          action: written.kind === 'created' ? 'C' : 'U',
          event: 'terminology.import',
          principal,
          entities,
        });
        return { id, version: written.version.version };
      }),
    close: async () => {
      await Promise.all([node.stop(), profileNode.stop()]);
    },
  };
}

/**
 * Runs a transaction that the signal can abort until its work is done. Its current statement is cancelled, and the
 * transaction is rolled back. Returns undefined when it was aborted.
 */
async function runUntilAborted<T>(
  database: Database,
  signal: AbortSignal,
  work: (tx: Transaction) => Promise<T>,
): Promise<T | undefined> {
  let process: number | undefined;
  const cancel = (): void => {
    if (process === undefined) return;
    // If the cancellation does not arrive, the work ends before its next step.
    database.query('SELECT pg_cancel_backend($1)', [process]).catch(() => undefined);
  };
  signal.addEventListener('abort', cancel, { once: true });
  let isDone = false;
  try {
    return await database.transaction(async (tx) => {
      process = (await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
      signal.throwIfAborted();
      const result = await work(tx);
      signal.throwIfAborted();
      isDone = true;
      process = undefined;
      return result;
    });
  } catch (error) {
    // Once the commit is sent, the database decides the outcome.
    if (!signal.aborted || isDone) throw error;
    return undefined;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** Returns the id of the CodeSystem with the same URL and version. Concurrent imports of the same wait. */
async function findKnown(tx: Transaction, store: FhirStore, head: Json): Promise<string | undefined> {
  const escaped = (value: unknown) => String(value).replaceAll(/[\\,$|]/g, '\\$&');
  const condition = store.parse('CodeSystem', [
    ['url', escaped(head['url'])],
    head['version'] === undefined ? ['version:missing', 'true'] : ['version', escaped(head['version'])],
  ]);
  return (await store.resolve(tx, condition, { access: ALL_ACCESS }))?.id;
}

/**
 * Builds the stored resource. Its concepts are stored separately, and its `content` says so
 * (hl7.org/fhir/R5/valueset-codesystem-content-mode.html).
 */
function stored({ head, columns }: ReadFile): Json {
  const content = head['content'] === 'supplement' ? 'supplement' : 'not-present';
  return { ...head, content, count: columns.size };
}

function issuesOf(check: () => void): string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return error.issues.length > 0 ? error.issues.map(({ message }) => message) : [error.message];
  }
}
