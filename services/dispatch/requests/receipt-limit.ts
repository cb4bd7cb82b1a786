// What answers by receipt token are counted against (decision D11).
import { clientKey } from '#lib/rate-limit/client-key.ts';
import { hashToken } from '../shared/key-ring.ts';
import type { RespondService } from './respond-service.ts';

/** Answers to one push are counted together, wherever they come from; guesses at tokens by who makes them. */
export async function limitKeyOf(
  address: string,
  token: string,
  responses: Pick<RespondService, 'knows'>,
): Promise<string> {
  return (await responses.knows(token)) ? `token ${hashToken(token).toString('base64url')}` : clientKey(address);
}
