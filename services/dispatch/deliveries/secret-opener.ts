// A cache of opened endpoint secrets, so that a long queue does not open the same secret for every delivery. It adds no
// risk: the process has the keys in memory too (docs/adr/0006).
import type { Sealer } from '#lib/secrets/sealer.ts';

/** Bounds the memory; there are far fewer providers. */
const MAX_KEPT = 10_000;

/**
 * The sealer's `open`, cached by the sealed bytes, which change with the secret.
 * @throws as `open` does, each time
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
