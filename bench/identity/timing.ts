// Whether the time of a refused sign-in reveals which accounts exist (decision I2). Refusals of several kinds
// alternate, and the difference of their medians is compared with what chance alone makes of the same measurements.
import { createHash } from 'node:crypto';
import { seeded } from '#test/support/random.ts';
import type { Figure } from '../report.ts';
import { medianOf } from '../report.ts';
import { emailOf, isPatientNumber } from './people.ts';
import type { BenchSite } from './site.ts';

const PERMUTATIONS = 2_000;
/** Of chance differences this share is smaller than what counts as one. */
const CONFIDENCE = 0.999;

type Kind = 'unknown' | 'unknown again' | 'professional' | 'patient' | 'locked' | 'locked unknown';

const COMPARISONS: ReadonlyArray<readonly [Kind, Kind]> = [
  ['unknown', 'unknown again'],
  ['unknown', 'professional'],
  ['unknown', 'patient'],
  ['locked unknown', 'locked'],
];

/** Each refusal is of an account of its own, so that none is locked by the measurement. */
export async function measureRefusals(site: BenchSite, attempts: number): Promise<Figure[]> {
  const kinds: readonly Kind[] = ['unknown', 'professional', 'unknown again', 'patient', 'locked', 'locked unknown'];
  const locked = [emailOf(2), 'locked-nobody@example.org'];
  await lock(site, locked);
  const durations = new Map<Kind, number[]>(kinds.map((kind) => [kind, []]));
  let number = 10_000;
  const emailFor = (kind: Kind, attempt: number): string => {
    if (kind === 'locked' || kind === 'locked unknown') return locked[kind === 'locked' ? 0 : 1] ?? '';
    if (kind.startsWith('unknown')) return `nobody-${kind.length}-${attempt}@example.org`;
    do number += 1;
    while (isPatientNumber(number) !== (kind === 'patient'));
    return emailOf(number);
  };
  const random = seeded(5);
  const order = [...kinds];
  for (let attempt = 0; attempt < attempts + 5; attempt += 1) {
    // In any order: after a refusal that has hashed a password, the next is slower, whatever its kind.
    shuffle(order, random);
    for (const kind of order) {
      const taken = await refusal(site, emailFor(kind, attempt), kind.startsWith('locked') ? 429 : 401);
      if (attempt >= 5) durations.get(kind)?.push(taken);
    }
  }
  return COMPARISONS.map(([a, b]) => compare([a, durations.get(a) ?? []], [b, durations.get(b) ?? []]));
}

async function lock(site: BenchSite, emails: readonly string[]): Promise<void> {
  const accounts = emails.map((email) => createHash('sha256').update(email).digest());
  await site.database.query(
    `INSERT INTO login_failure (account, failed_at, lock_count, locked_until, last_failed_at)
     SELECT account, ARRAY[now()], 1, now() + interval '1 hour', now() FROM unnest($1::bytea[]) AS account`,
    [accounts],
  );
}

async function refusal(site: BenchSite, email: string, expected: number): Promise<number> {
  const body = JSON.stringify({ email, password: 'not-the-password' });
  const startedAt = performance.now();
  const answer = await fetch(`${site.origin}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  await answer.arrayBuffer();
  if (answer.status !== expected) throw new Error(`a refused sign-in of ${email} answered ${answer.status}`);
  return performance.now() - startedAt;
}

/** The permutation test of the difference of medians. */
function compare([nameA, a]: readonly [Kind, number[]], [nameB, b]: readonly [Kind, number[]]): Figure {
  const difference = Math.abs(medianOf(a) - medianOf(b));
  const pooled = [...a, ...b];
  const random = seeded(3);
  const byChance = Array.from({ length: PERMUTATIONS }, () => {
    shuffle(pooled, random);
    return Math.abs(medianOf(pooled.slice(0, a.length)) - medianOf(pooled.slice(a.length)));
  }).sort((x, y) => x - y);
  const noise = byChance[Math.floor(PERMUTATIONS * CONFIDENCE)] ?? 0;
  return {
    name: `refusal: ${nameA} / ${nameB} (${medianOf(a).toFixed(2)} ms)`,
    value: `${difference.toFixed(3)} ms`,
    bare: `${noise.toFixed(3)} ms`,
    must: '≤ noise',
    isMet: difference <= noise,
  };
}

function shuffle<T>(values: T[], random: () => number): void {
  for (let last = values.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [values[last], values[other]] = [values[other] as T, values[last] as T];
  }
}
