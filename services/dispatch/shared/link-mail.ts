// What became of the mail with the link to the receipt page (docs/adr/0071), for the requester: the state of the
// outbox, and of a mail that was given up what is kept at the link.
import Type, { type Static } from 'typebox';
import { Moment, nullable } from './wire.ts';

export const LINK_MAIL_STATES = ['queued', 'retrying', 'sent', 'dead'] as const;

export interface LinkMail {
  /** `sent`: the mail server has taken it. */
  readonly state: (typeof LINK_MAIL_STATES)[number];
  /** The class of the last failure (docs/reference/mail.md). */
  readonly lastError: string | undefined;
  /** When the next attempt is due, after one that failed. */
  readonly nextAt: Date | undefined;
}

/** Columns of the link `l` and of its mail `o` in the outbox, which is there until it is sent or given up. */
export const LINK_MAIL_COLUMNS = `l.mail_guid AS link_mail_guid, l.mail_dead_at AS link_mail_dead_at, l.mail_error AS link_mail_error,
  o.mail_guid AS waiting_mail_guid, o.last_error AS waiting_mail_error, o.next_at AS waiting_mail_next_at`;
export const LINK_MAIL_JOIN = 'LEFT JOIN mail_outbox o ON o.mail_guid = l.mail_guid AND o.dead_at IS NULL';

export interface LinkMailRow {
  link_mail_guid: string | null;
  link_mail_dead_at: Date | null;
  link_mail_error: string | null;
  waiting_mail_guid: string | null;
  waiting_mail_error: string | null;
  waiting_mail_next_at: Date | null;
}

/** Undefined for a link that was not mailed. */
export function linkMailOf(row: LinkMailRow): LinkMail | undefined {
  if (row.link_mail_guid === null) return undefined;
  if (row.link_mail_dead_at !== null)
    return { state: 'dead', lastError: row.link_mail_error ?? undefined, nextAt: undefined };
  if (row.waiting_mail_guid === null) return { state: 'sent', lastError: undefined, nextAt: undefined };
  if (row.waiting_mail_error === null) return { state: 'queued', lastError: undefined, nextAt: undefined };
  return { state: 'retrying', lastError: row.waiting_mail_error, nextAt: row.waiting_mail_next_at ?? undefined };
}

export const LinkMailWire = Type.Object(
  {
    state: Type.Enum([...LINK_MAIL_STATES]),
    last_error: nullable(Type.String({ description: 'The class of the last failure' })),
    next_at: nullable(Moment),
  },
  { title: 'LinkMail' },
);

export function toLinkMailWire({ state, lastError, nextAt }: LinkMail): Static<typeof LinkMailWire> {
  return { state, last_error: lastError ?? null, next_at: nextAt?.toISOString() ?? null };
}
