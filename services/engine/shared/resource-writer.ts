// How the engine's own features put resources into the FHIR store, inside the transaction of the change they belong to.
import type { Transaction } from '#lib/db/database.ts';
import { readResourceText } from '#lib/fhir/resource-text.ts';
import type { FhirStore } from '#lib/fhir-store/store.ts';
import { holdVersion, type Published } from './published-versions.ts';

export interface Placement {
  readonly id: string;
  /** The organisation to which the record belongs (decision G12); null for what is not about a person. */
  readonly organisation: string | null;
}

export interface ResourceWriter {
  /** Stores a new resource, given as JSON text. @throws ServiceError `unprocessable` with every fault; `conflict` */
  create(tx: Transaction, text: string, placement: Placement): Promise<void>;
  /** Whether this version of a definition is there; until the transaction ends nobody else publishes it. */
  holdVersion(tx: Transaction, published: Published): Promise<boolean>;
}

export function createResourceWriter(store: FhirStore): ResourceWriter {
  return {
    async create(tx, text, { id, organisation }) {
      await store.create(tx, { source: readResourceText(text), id, organisation });
    },
    holdVersion: (tx, published) => holdVersion(store, tx, published),
  };
}
