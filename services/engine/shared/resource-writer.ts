// Writes resources of the engine's own features to the FHIR store, in the transaction of the change to which they
// belong.

import { type ResourceText, readResourceText } from '#fhir/resources/resource-text.ts';
import type { WorkerThreads } from '#fhir/rest/threads/worker-threads.ts';
import type { FhirStore } from '#fhir/store/store.ts';
import { isLong } from '#fhir/store/threads.ts';
import type { CreateInput } from '#fhir/store/write/write.ts';
import type { Transaction } from '#lib/db/database.ts';
import { lockVersion, type Published } from './published-versions.ts';

export interface Placement {
  readonly id: string;
  /** The organisation to which the record belongs (decision G12); null for a resource that is not about a person. */
  readonly organisation: string | null;
  /** Of what a provider reported: it may have the tags that say so. */
  readonly isReport?: true;
}

export interface ResourceWriter {
  /** Stores a new resource, given as JSON text. @throws ServiceError `unprocessable` with every error; `conflict` */
  create(tx: Transaction, text: string, placement: Placement): Promise<void>;
  /**
   * Reads and validates a resource for {@link ResourceWriter.createPrepared}, before a transaction begins. A long one
   * is read in a thread, within the limits of `owner`.
   * @throws ServiceError `unprocessable` with every error
   */
  prepare(text: string, placement: Placement, owner: string): Promise<CreateInput>;
  createPrepared(tx: Transaction, prepared: CreateInput): Promise<void>;
  /** Whether this version of a definition exists. Locks the version until the transaction ends. */
  lockVersion(tx: Transaction, published: Published): Promise<boolean>;
}

/** @param aside for long resources; all are read on the event loop when left out */
export function createResourceWriter(store: FhirStore, workerThreads?: WorkerThreads): ResourceWriter {
  return {
    async create(tx, text, { id, organisation }) {
      await store.create(tx, { source: readResourceText(text), id, organisation });
    },
    prepare: async (text, { id, organisation, isReport }, owner) => {
      const marked = (source: ResourceText) => (isReport === true ? { ...source, isOwnReport: isReport } : source);
      if (workerThreads === undefined || !isLong({ text }))
        return { source: marked(readResourceText(text)), id, organisation };
      const budget = workerThreads.budget(owner);
      const source = workerThreads.share(marked(await workerThreads.readText(text, budget)), budget);
      await store.prepareBulk({ source, id, organisation });
      return { source, id, organisation };
    },
    createPrepared: async (tx, prepared) => void (await store.create(tx, prepared)),
    lockVersion: (tx, published) => lockVersion(store, tx, published),
  };
}
