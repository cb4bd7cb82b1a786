// The services that serve FHIR, and their addresses: at the service, and in the console.

export const SERVICES = ['engine', 'dispatch', 'identity'] as const;
export type ServiceName = (typeof SERVICES)[number];

const BASES: Readonly<Record<ServiceName, string>> = {
  engine: '/engine/api/v1',
  dispatch: '/dispatch/api/v1',
  identity: '/identity/fhir',
};

/** The FHIR base of a service, as a path of the gateway. */
export function baseOf(service: ServiceName): string {
  return BASES[service];
}

/** The service that an address names; the engine without one. */
export function serviceOf(name: string | undefined): ServiceName {
  return SERVICES.find((each) => each === name) ?? 'engine';
}

/** Where a resource is validated: the engine does it for all services, which have rules of their own besides. */
export function validateAddress(type: string): string {
  return `${BASES.engine}/${type}/$validate`;
}

/** The console's screen of a type. */
export function typePath(service: ServiceName, type: string): string {
  return `/developer/fhir/${service}/${type}`;
}

/** The console's screen of a resource. */
export function resourcePath(service: ServiceName, type: string, id: string): string {
  return `${typePath(service, type)}/${id}`;
}

export interface Target {
  readonly type: string;
  readonly id: string;
}

const REFERENCE = /^(?:([a-z]+:\/\/\S+?|\/\S*?)\/)?([A-Z][A-Za-z]+)\/([A-Za-z0-9.-]{1,64})(?:\/_history\/\S+)?$/;

/** What a literal reference of a resource of this service leads to, where that is at the same service. */
export function targetOf(service: ServiceName, reference: string): Target | undefined {
  const [, base, type, id] = REFERENCE.exec(reference) ?? [];
  if (type === undefined || id === undefined) return undefined;
  const isHere = base === undefined || base.endsWith(BASES[service]);
  return isHere ? { type, id } : undefined;
}
