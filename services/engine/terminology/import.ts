// Puts a code system that was read from a file in force, for a command, straight in the engine's database
// (docs/adr/0019): all of it in one transaction, or nothing.

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
  /** What is wrong with a CodeSystem without its concepts, in words. */
  checkHead(head: Json): readonly string[];
  /**
   * Undefined when it was stopped by the signal, and nothing has been written.
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
  /** Of the CodeSystem: 1 when it is new. */
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
      untilStopped(database, signal, async (tx) => {
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
 * A transaction that the signal ends as long as its work is not done: the statement it is at is cancelled, whatever
 * that waits for, and it is rolled back. Undefined when it was ended so.
 */
async function untilStopped<T>(
  database: Database,
  signal: AbortSignal,
  work: (tx: Transaction) => Promise<T>,
): Promise<T | undefined> {
  let process: number | undefined;
  const cancel = (): void => {
    if (process === undefined) return;
    // Should it not get there, the work ends with the next step.
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
    // Once the commit is on its way, it is what the database says of it.
    if (!signal.aborted || isDone) throw error;
    return undefined;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** The id of the CodeSystem with the same URL and version; others who import the same wait. */
async function findKnown(tx: Transaction, store: FhirStore, head: Json): Promise<string | undefined> {
  const escaped = (value: unknown) => String(value).replaceAll(/[\\,$|]/g, '\\$&');
  const condition = store.parse('CodeSystem', [
    ['url', escaped(head['url'])],
    head['version'] === undefined ? ['version:missing', 'true'] : ['version', escaped(head['version'])],
  ]);
  return (await store.resolve(tx, condition, { access: ALL_ACCESS }))?.id;
}

/**
 * The resource as it is stored: its concepts are elsewhere, and so it says
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
