// The secrets of endpoints as they were opened, so that a long queue does not open the same one for every delivery.
// They lie in the memory of a process that holds the keys to them anyway (docs/adr/0006).
import type { Sealer } from '#lib/secrets/sealer.ts';

/** More would be a sign of something else than providers. */
const MAX_KEPT = 10_000;

/**
 * As the sealer's `open`, remembered by the sealed bytes, which change with the secret.
 * @throws as that does, each time
 */
export function createSecretOpener(sealer: Pick<Sealer, 'open'>): Sealer['open'] {
  const opened = new Map<string, string>();
  return (sealed, context) => {
    const key = `${Buffer.from(sealed).toString('latin1')} ${context}`;
    const known = opened.get(key);
    if (known !== undefined) return known;
    const secret = sealer.open(sealed, context);
    if (opened.size >= MAX_KEPT) opened.clear();
    opened.set(key, secret);
    return secret;
  };
}
