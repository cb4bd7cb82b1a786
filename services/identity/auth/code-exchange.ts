// Exchanges the one-time code of a handshake for the token (decision I3). A code that is presented again revokes the
// token of its first use. One of its two holders is not the rightful client (RFC 6749 §4.1.2, RFC 6819 §4.4.1.1).

import type { Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { currentTenantName } from '#lib/tenants/current-tenant.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Origin } from '../actor.ts';
import type { BrowserSessions } from '../browser-sessions/service.ts';
import type { Clients } from '../clients/service.ts';
import type { Revocations } from '../revocations/service.ts';
import { isProven } from '../shared/code-challenge.ts';
import { hashOfCode, isCode, targetOf } from './grants.ts';
import * as store from './store.ts';
import type { SignedIn, TokenIssuer } from './token-issuer.ts';

export interface CodeExchange {
  readonly code: string;
  readonly next: string;
  readonly verifier: string | undefined;
  /** The authenticated client; undefined for a sign-in that named none. */
  readonly clientId: string | undefined;
  readonly origin: Origin;
}

export interface CodeExchangeDeps extends WriteDependencies {
  readonly tokens: TokenIssuer;
  readonly clients: Pick<Clients, 'lockAudience'>;
  readonly revocations: Pick<Revocations, 'revokeTokenOfCode'>;
  readonly browserSessions: Pick<BrowserSessions, 'holdOfCode'>;
  /** Makes committed revocations effective on this node. */
  readonly takeEffect: () => Promise<void>;
}

/** `reused`: the code was used before, and its token has just been revoked. */
type Exchanged = SignedIn | 'refused' | 'reused';

/**
 * @throws ServiceError `authentication_failed` when the code is unknown, used, expired, issued for another `next`,
 * another client or at another tenant's address, or the verifier does not match; `forbidden` for a user who may not use
 * the tenant of the address
 */
export function createCodeExchange(deps: CodeExchangeDeps): (exchange: CodeExchange) => Promise<SignedIn> {
  const { database, clock, audit, tokens, clients, revocations, browserSessions, takeEffect } = deps;

  /**
   * The code is deleted in the transaction that issues the token. Ending the user's sessions waits for the code and
   * then finds its token. When several requests present one code, the others wait and then find the token too. A code
   * that was presented wrongly is deleted as well.
   */
  async function take(tx: Transaction, exchange: CodeExchange): Promise<Exchanged> {
    const { code, next, verifier, clientId, origin } = exchange;
    if (!isCode(code)) return 'refused';
    // The client is locked before the code: disabling a client locks in this order.
    const audience = clientId === undefined ? undefined : await clients.lockAudience(tx, clientId);
    if (clientId !== undefined && audience === undefined) return 'refused';
    const codeHash = hashOfCode(code, clientId);
    const session = await browserSessions.holdOfCode(tx, codeHash);
    const known = await store.takeCode(tx, { hash: codeHash, clientId });
    if (known === null) return endFirstUse(tx, codeHash, exchange);
    if (known.next !== next || known.expiresAt.getTime() <= clock.now()) return 'refused';
    if (!isProven(known.codeChallenge, verifier)) return 'refused';
    // What one tenant has of a sign-in opens no other.
    if (known.tenant !== undefined && known.tenant !== currentTenantName()) return 'refused';
    const { userGuid, from } = known;
    const client = clientId === undefined || audience === undefined ? undefined : { clientId, audience };
    const of = session && { ...session, destination: targetOf(next) };
    return tokens.issue(tx, { userGuid, event: 'user.exchange-code', origin, from, codeHash, client, session: of });
  }

  /** Recorded once: a code that is presented a thousand times more causes no thousand events. */
  async function endFirstUse(tx: Transaction, codeHash: Buffer, exchange: CodeExchange): Promise<Exchanged> {
    const { clientId, origin } = exchange;
    const subjectGuid = await revocations.revokeTokenOfCode(tx, { codeHash, clientId });
    if (subjectGuid === undefined) return 'refused';
    const ended = 'a code was presented again; the token of its first use is revoked';
    const detail = clientId === undefined ? ended : `${ended}; client ${clientId}`;
    const details = { principal: undefined, subjectGuid, outcome: 'failure', detail } as const;
    await audit.record(tx, { action: 'E', event: 'user.reuse-code', ...details, ...origin });
    return 'reused';
  }

  return async (exchange) => {
    const exchanged = await database.transaction((tx) => take(tx, exchange));
    if (typeof exchanged === 'object') return exchanged;
    if (exchanged === 'reused') await takeEffect();
    throw new ServiceError(
      'authentication_failed',
      'The code is unknown, used, expired, for another address or client, or not proven to be yours',
    );
  };
}
