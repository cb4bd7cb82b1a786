// The digest of notifications by mail: how many of each kind are unread, and nothing else. Whether its reader still may
// read them, and their address, is asked of identity each time.
import { decide } from '#lib/auth/permissions.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { type Clock, HOUR_MS } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import type { Language } from '#lib/html/html.ts';
import { translator } from '#lib/html/messages.ts';
import type { Mailer } from '#lib/mail/mailer.ts';
import type { Actor } from '../../shared/actor.ts';
import { readerOf } from '../audience.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { readPositions } from '../store.ts';
import * as store from './digest-store.ts';
import { type Frequency, nextDigestAt } from './digest-time.ts';
import messages from './mails.messages.json' with { type: 'json' };

const LEASE_MS = 60_000;

export interface DigestSettings {
  readonly digest: Frequency | 'off';
  readonly language: Language;
  /** Whether a digest can be had: there is a mail server, and the caller is a user of identity. */
  readonly isAvailable: boolean;
}

/** A user as identity has it now. */
export interface Contact {
  /** Of a professional. */
  readonly name?: string | undefined;
  readonly principal: Principal;
  readonly email: string;
}

export interface DigestService {
  read(actor: Actor): Promise<DigestSettings>;
  /** @throws ServiceError `unprocessable` when no digest can be had */
  put(actor: Actor, settings: Pick<DigestSettings, 'digest' | 'language'>): Promise<DigestSettings>;
  /** Queues the digest that has been due for longest; returns whether there was one. */
  sendNext(): Promise<boolean>;
}

export interface DigestServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Undefined without a mail server. */
  readonly mailer: Mailer | undefined;
  /** Undefined when there is no such user. @throws ServiceError `upstream_unavailable` */
  readonly readContact: ((userId: string) => Promise<Contact | undefined>) | undefined;
  /** The IANA name of the time zone of the morning. */
  readonly timeZone: string;
  /** The public address of the API. */
  readonly baseUrl: string;
}

export function createDigestService(options: DigestServiceOptions): DigestService {
  const { database, clock, mailer, readContact, timeZone } = options;
  const isAvailable = ({ principal }: Actor) =>
    mailer !== undefined && readContact !== undefined && principal.kind === 'identity_user';

  async function read(actor: Actor): Promise<DigestSettings> {
    const found = await store.findDigest(database, actor.principal.id);
    const { frequency: digest = 'off' as const, language = 'sv' as const } = found ?? {};
    return { digest, language, isAvailable: isAvailable(actor) };
  }

  /** @throws ServiceError `upstream_unavailable`; the lease ends then, and another attempt follows */
  async function send(
    wish: store.DigestWish,
    mails: Mailer,
    contactOf: NonNullable<typeof readContact>,
  ): Promise<void> {
    const contact = await contactOf(wish.userId);
    if (contact === undefined) return store.deleteDigest(database, wish.userId);
    const now = clock.now();
    const nextAt = new Date(nextDigestAt(wish.frequency, now, timeZone));
    const reader = readerOf(contact.principal);
    await database.transaction(async (transaction) => {
      // Read before the count: what comes meanwhile is new in the next digest.
      const covered = writeCursor(await readPositions(transaction, reader.feedKeys));
      if (!(await store.finishDigest(transaction, wish, { covered, nextAt }))) return;
      if (decide('notification:read-own', contact.principal) !== 'allowed') return;
      const kinds = await store.countUnread(transaction, reader, readCursor(wish.covered));
      if (!kinds.some(({ fresh }) => fresh > 0)) return;
      const expiresAt = new Date(now + (wish.frequency === 'hourly' ? 1 : 24) * HOUR_MS);
      const mail = textOf(kinds, wish.language, new URL(options.baseUrl).origin);
      await mails.queue(transaction, { kind: 'notification-digest', to: contact.email, ...mail, expiresAt });
    });
  }

  return {
    read,
    async put(actor, { digest, language }) {
      const { id } = actor.principal;
      if (digest === 'off') await store.deleteDigest(database, id);
      else {
        if (!isAvailable(actor)) throw new ServiceError('unprocessable', 'No digest can be sent to you by mail here');
        const now = clock.now();
        const nextAt = new Date(nextDigestAt(digest, now, timeZone));
        const covered = writeCursor(await readPositions(database, readerOf(actor.principal).feedKeys));
        await store.putDigest(database, { userId: id, frequency: digest, language, nextAt, covered }, new Date(now));
      }
      return { digest, language, isAvailable: isAvailable(actor) };
    },
    async sendNext() {
      if (mailer === undefined || readContact === undefined) return false;
      const now = clock.now();
      const claim = { now: new Date(now), leaseUntil: new Date(now + LEASE_MS) };
      const wish = await store.claimDigest(database, claim);
      if (wish === undefined) return false;
      await send(wish, mailer, readContact);
      return true;
    },
  };
}

function textOf(kinds: readonly store.UnreadKind[], language: Language, origin: string) {
  const text = translator(messages.digest, language);
  const kindOf = translator(messages.kinds, language);
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  const fresh = sum(kinds.map((each) => each.fresh));
  const lines = kinds.map(({ kind, unread }) => `- ${kindOf(kind)}: ${unread}`).join('\n');
  const signIn = `${origin}/auth/login?lang=${language}`;
  const settings = `${signIn}&return_to=%2Faccount`;
  const values = { fresh, unread: sum(kinds.map((each) => each.unread)), lines, link: signIn, settings };
  return { subject: text('subject', values), text: text('text', values) };
}
