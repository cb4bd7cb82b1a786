// Events of the audit log, page by page: a cursor leads on, which stays where it is while events are added.
import type { identity } from '../../api/clients.ts';
import { Problem } from '../../api/problem.ts';
import { sessionFetch } from '../../api/session.ts';
import type { IdentityShapes } from '../../api/shapes.ts';

type Events = NonNullable<Awaited<ReturnType<typeof identity.GET<'/api/admin/audit', object>>>['data']>;
export type AuditEvent = IdentityShapes['AuditEntry'];

export interface AuditFilter {
  readonly user_guid?: string;
  readonly event?: string;
  readonly outcome?: 'success' | 'failure';
  readonly since?: string;
  readonly until?: string;
}

export interface EventPage {
  readonly events: readonly AuditEvent[];
  /** Undefined on the last page. */
  readonly next: string | undefined;
}

const PER_PAGE = 50;
const CSV_PAGE = 200;
/** Of one file. */
export const MOST_ROWS = 10_000;

/** @throws Problem, UnreachableError */
export async function readEvents(
  filter: AuditFilter,
  cursor: string | undefined,
  perPage = PER_PAGE,
): Promise<EventPage> {
  const query = new URLSearchParams({
    ...filter,
    per_page: String(perPage),
    ...(cursor === undefined ? {} : { cursor }),
  });
  const response = await sessionFetch(new Request(`/identity/api/admin/audit?${query}`));
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw new Problem(response, body);
  return { events: body as Events, next: cursorIn(response.headers.get('link')) };
}

/** The cursor of the link to the next page (RFC 8288). */
export function cursorIn(link: string | null): string | undefined {
  const [, address] = /<([^>]*)>;\s*rel="?next"?/.exec(link ?? '') ?? [];
  if (address === undefined) return undefined;
  return new URL(address, 'https://example.org').searchParams.get('cursor') ?? undefined;
}

/** All that the filter finds, up to the most of one file; `onPage` is called with how many were read. */
export async function readAll(filter: AuditFilter, onPage: (count: number) => void): Promise<AuditEvent[]> {
  const all: AuditEvent[] = [];
  let cursor: string | undefined;
  do {
    const { events, next } = await readEvents(filter, cursor, CSV_PAGE);
    all.push(...events);
    cursor = next;
    onPage(all.length);
  } while (cursor !== undefined && all.length < MOST_ROWS);
  return all.slice(0, MOST_ROWS);
}

const COLUMNS = [
  'time',
  'event',
  'outcome',
  'actor',
  'subject',
  'entities',
  'address',
  'request_id',
  'detail',
] as const;

/** The rows of a table of the events, with their heading. */
export function eventRows(events: readonly AuditEvent[]): (readonly string[])[] {
  const rows = events.map((event) => [
    event.recorded_at,
    event.event,
    event.outcome,
    actorOf(event),
    event.subject?.email ?? event.subject?.user_guid ?? '',
    event.entities.join(' '),
    event.address ?? '',
    event.request_id ?? '',
    event.detail ?? '',
  ]);
  return [COLUMNS, ...rows];
}

/** Who did it: the address of a user, the name of a service, or the operator. */
export function actorOf({ actor }: AuditEvent): string {
  return actor.email ?? actor.service ?? actor.operator ?? actor.user_guid ?? '';
}
