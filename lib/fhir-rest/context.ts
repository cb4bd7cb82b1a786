// What every interaction needs at hand: the service's options and the definitions of R5.
import { type Definitions, r5Definitions } from '#lib/fhir/definitions/definitions.ts';
import type { FhirRestOptions } from './options.ts';

export interface RouteContext {
  readonly options: FhirRestOptions;
  readonly definitions: Definitions;
}

export function createContext(options: FhirRestOptions): RouteContext {
  return { options, definitions: r5Definitions() };
}

/** `https://…/Patient/1`. */
export function urlOf({ options }: RouteContext, { resourceType, id }: { resourceType: string; id: string }): string {
  return `${options.baseUrl}/${resourceType}/${id}`;
}
