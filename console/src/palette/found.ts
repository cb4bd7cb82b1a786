// What a face finds for the palette. Services decide what somebody sees; a face asks only those of its own screens.
import type baseTexts from '../i18n/sv.json';

export interface Found {
  readonly kind: keyof typeof baseTexts.palette.kind;
  /** Unique among those of its kind. */
  readonly id: string;
  readonly label: string;
  readonly detail?: string | undefined;
  /** The address that shows it. */
  readonly to: string;
  /** Its parameters. */
  readonly search?: Readonly<Record<string, string>>;
  /** The part of the screen, by its id. */
  readonly hash?: string;
}

/** Who asks. */
interface Asker {
  readonly is_su_admin?: boolean | undefined;
  readonly effective_phases?: readonly string[] | undefined;
}

/** The best of each kind, a few. The text has at least two characters. @throws Problem, UnreachableError */
export type Find = (text: string, signal: AbortSignal, me: Asker) => Promise<readonly Found[]>;

/** Each once, though several searches found it. */
export function distinct(found: readonly Found[]): Found[] {
  return [...new Map(found.map((each) => [`${each.kind} ${each.id}`, each])).values()];
}

/** Of each kind. */
export const MOST_FOUND = 5;

/** A whole id, as it is copied from an address; undefined for any other text. */
export function idIn(text: string): string | undefined {
  return /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/.exec(text.toLowerCase())?.[0];
}

/** What the sources found. One that fails hides the others only when all fail. @throws what the first threw */
export async function foundBy(sources: readonly Promise<readonly Found[]>[]): Promise<Found[]> {
  const results = await Promise.allSettled(sources);
  const found = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  const [failed] = results.flatMap((result) => (result.status === 'rejected' ? [result] : []));
  if (failed !== undefined && results.every(({ status }) => status === 'rejected')) throw failed.reason;
  return found;
}
