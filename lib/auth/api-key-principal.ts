// The principal of an API key (decisions G8, E8), the same in every service.
import type { Principal, Role } from './principal.ts';

export interface ApiKeyFacts {
  readonly keyGuid: string;
  /** SMART v2 scopes. */
  readonly scopes: readonly string[];
  readonly providerGuid?: string | undefined;
  /** The organisation whose records it reaches as their staff do. */
  readonly organisationGuid?: string | undefined;
}

/** A provider's key acts for that provider. Its scopes permit what else it may do. */
export function principalOfKey({ keyGuid, scopes, providerGuid, organisationGuid }: ApiKeyFacts): Principal {
  const roles: Role[] = providerGuid === undefined ? ['api_key'] : ['provider'];
  if (providerGuid !== undefined && scopes.length > 0) roles.push('api_key');
  return {
    kind: 'api_key',
    id: keyGuid,
    roles: new Set(roles),
    organisationGuids: organisationGuid === undefined ? [] : [organisationGuid],
    phases: new Set(),
    scopes,
    mustChangePassword: false,
    ...(providerGuid === undefined ? {} : { providerGuid }),
  };
}
