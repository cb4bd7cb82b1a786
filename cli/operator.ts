// Who runs a command: not a user of Kedja, but an account on the machine (decision G9).
import { userInfo } from 'node:os';
import type { Principal } from '#lib/auth/principal.ts';

/** Who runs the command, for the audit record: the account on this machine. */
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

/** A container may run as a number that has no name. */
function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
