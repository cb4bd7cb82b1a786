// The receipt token of a task (decisions D11, E10): looked up by its hash; kept sealed, because the provider finds its
// tasks by it and the engine answers dispatch with it, so a hash alone would not do.
import { createHash } from 'node:crypto';
import type { Principal } from '#lib/auth/principal.ts';

export function hashReceipt(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Who holds the token, for the audit record. */
export function receiptHolder(task: { request_guid: string; provider_guid: string }): Principal {
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
