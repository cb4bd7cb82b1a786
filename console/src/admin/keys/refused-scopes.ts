// Which rights of a new key were refused. The service names them by their place in the list, in English.
import { Problem } from '../../api/problem.ts';

const PLACE = /^'scopes(?:\[(\d+)\]|\.(\d+)|\/(\d+))'/;

/**
 * The refused ones of what was sent, in its order.
 * @returns undefined where the service complains of something else too, or of none
 */
export function refusedScopes(error: Error | null, sent: readonly string[]): readonly string[] | undefined {
  if (!(error instanceof Problem) || error.status !== 400) return undefined;
  const places = error.messages.map((message) =>
    PLACE.exec(message)
      ?.slice(1)
      .find((place) => place !== undefined),
  );
  const refused = new Set(places.map((place) => (place === undefined ? undefined : sent[Number(place)])));
  if (refused.size === 0 || refused.has(undefined)) return undefined;
  return sent.filter((scope) => refused.has(scope));
}
