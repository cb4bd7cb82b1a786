// The description of a service's API, as /openapi.json and the reference page use it.
import type { OpenApiComponents } from './components.ts';
import type { Operation } from './openapi-examples.ts';

/** One operation: what lists show of it, and how its Operation Object is built. */
export interface DocumentedOperation {
  /** Its operationId. */
  readonly id: string;
  readonly method: string;
  /** `/api/v1/concepts/{id}` */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly build: () => Operation;
}

export interface ApiDocument {
  /** In the order of registration, those of FHIR after the others. */
  readonly operations: () => Promise<readonly DocumentedOperation[]>;
  /** A component of any source. */
  readonly find: OpenApiComponents['find'];
  /** Whether it is the name of a shape that routes share, and not of a plugin's schema. */
  readonly isShape: (name: string) => boolean;
  /** The text of /openapi.json, in pieces. */
  readonly write: () => Promise<string[]>;
}
