// The receipt token of a task (decisions D11, E10). Tasks are found by its hash. The token is also stored sealed,
// because lists show it to the provider and the engine sends it to dispatch.
import type { Principal } from '#lib/auth/principal.ts';
import { sha256 } from '#lib/crypto/secret.ts';

export function hashReceipt(token: string): Buffer {
  return sha256(token);
}

/** Returns the principal of the token's holder, for the audit record. */
export function receiptPrincipal(task: { request_guid: string; provider_guid: string }): Principal {
  return {
    kind: 'receipt',
    id: task.request_guid,
    roles: new Set(['provider']),
    organisationGuids: [],
    phases: new Set(),
    providerGuid: task.provider_guid,
    scopes: [],
    mustChangePassword: false,
  };
}
