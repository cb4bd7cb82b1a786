// When the session ends, and whether it is time to say so.

/** How long before. */
const WARNING_MS = 2 * 60_000;

export interface KnownSession {
  /** The end however much it is used. */
  readonly expires_at: string;
  /** The end without further use, as of the moment when it was read; null for none. */
  readonly idle_ends_at: string | null;
}

interface SessionTimes {
  readonly session: KnownSession;
  /** When that was read, when the session was last used, and now; in milliseconds. */
  readonly readAt: number;
  readonly usedAt: number;
  readonly now: number;
}

export interface SessionEnd {
  readonly at: number;
  /** Whether no use puts it off. */
  readonly isFinal: boolean;
}

/** Undefined while there is time. Each use since it was read has put off the end that want of use brings. */
export function endOfSession({ session, readAt, usedAt, now }: SessionTimes): SessionEnd | undefined {
  const last = Date.parse(session.expires_at);
  const unused = session.idle_ends_at === null ? last : Date.parse(session.idle_ends_at) + Math.max(0, usedAt - readAt);
  const at = Math.min(last, unused);
  return at - now <= WARNING_MS ? { at, isFinal: last <= unused } : undefined;
}
