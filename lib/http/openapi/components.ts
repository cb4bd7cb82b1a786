// Shared components of /openapi.json (OpenAPI 3.1, Components Object) that a plugin describes and its routes refer to.
import type { FastifyContextConfig } from 'fastify';

/** The components of a route, by their names; each refers to `#/components/<kind>/<name>`. */
export interface OpenApiReferences {
  /** Unique in the document; made from method and address when left out. */
  readonly operationId?: string;
  /** Names of `parameters`; listed only when the operation is shown. */
  readonly parameters?: () => readonly string[];
  /** A name of `requestBodies`. */
  readonly body?: string;
  /** A name of `responses`: what a successful response holds. */
  readonly response?: string;
}

export const COMPONENT_KINDS = ['schemas', 'parameters', 'requestBodies', 'responses', 'headers'] as const;

/** One component of the document. */
export type OpenApiComponent = readonly [kind: (typeof COMPONENT_KINDS)[number], name: string, value: object];

/** The components of a plugin. */
export interface OpenApiComponents {
  /** Computed one after the other, while the document is written. */
  readonly all: () => Iterable<OpenApiComponent>;
  readonly find: (kind: OpenApiComponent[0], name: string) => object | undefined;
  /** Names of `headers` that the successful responses of a route carry, besides those that its schema declares. */
  readonly headersOf?: (route: HeadedRoute) => readonly string[];
}

/** What decides which headers its responses have. */
export interface HeadedRoute {
  readonly method: string;
  readonly url: string;
  readonly config: FastifyContextConfig | undefined;
}

/** A reference to a component. */
export function componentRef(kind: OpenApiComponent[0], name: string): { readonly $ref: string } {
  return { $ref: `#/components/${kind}/${name}` };
}

const REFERENCE = /^#\/components\/(schemas|parameters|requestBodies|responses|headers)\/(.+)$/;

/** Kind and name of a reference; undefined for anything else. */
export function parseRef(value: unknown): readonly [kind: OpenApiComponent[0], name: string] | undefined {
  const { $ref } = (typeof value === 'object' && value !== null ? value : {}) as { $ref?: unknown };
  const [, kind, name] = typeof $ref === 'string' ? (REFERENCE.exec($ref) ?? []) : [];
  const found = COMPONENT_KINDS.find((each) => each === kind);
  return found === undefined || name === undefined ? undefined : [found, name];
}
