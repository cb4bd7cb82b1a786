// Withdrawing matches (decisions D3, D5): the state of each, and that those who hold a push are told, in the caller's transaction.
import type { Clock } from '#lib/clock.ts';
import type { Transaction } from '#lib/db/database.ts';
import { moveMatch, type WithdrawnReason } from './lifecycle.ts';
import { type Match, updateMatch } from './store.ts';

/** Tells the provider of a withdrawn match that it is over: cancels what is still to be sent, writes the feed and the message. */
export type TellProvider = (transaction: Transaction, match: Match, reason: WithdrawnReason) => Promise<void>;

/** Withdraws those of the matches that are pending or pushed; the request's lock is held by the caller. */
export type WithdrawMatches = (
  transaction: Transaction,
  matches: readonly Match[],
  reason: WithdrawnReason,
) => Promise<void>;

export function createWithdrawMatches(options: { clock: Clock; tellProvider: TellProvider }): WithdrawMatches {
  const { clock, tellProvider } = options;
  return async (transaction, matches, reason) => {
    for (const match of matches) {
      const moved = moveMatch(match.status, 'withdraw');
      if (moved === undefined) continue;
      const changes = { status: moved.to, withdrawnReason: reason };
      const withdrawn = await updateMatch(transaction, match, changes, new Date(clock.now()));
      if (moved.effects.includes('tell_provider')) await tellProvider(transaction, withdrawn, reason);
    }
  };
}
