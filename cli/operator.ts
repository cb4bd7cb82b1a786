// The principal of a command: no user of Kedja, but an account on the machine (decision G9).
import { userInfo } from 'node:os';
import type { Principal } from '#lib/auth/principal.ts';

/** The account on this machine, for the audit record. */
export function operator(): Principal {
  return {
    kind: 'operator',
    id: accountName(),
    roles: new Set(['admin']),
    organisationGuids: [],
    phases: new Set(),
    scopes: [],
    mustChangePassword: false,
  };
}

/** A container may run under a number without a name. */
function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
