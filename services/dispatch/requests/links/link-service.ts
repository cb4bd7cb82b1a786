// The link to the receipt page, which a planner hands over, sends by mail or shows as a QR code (docs/adr/0071). Each
// time it is a new one, and the one before it ends: only the hash of its token is stored.

import { DAY_MS } from '#lib/clock.ts';
import { randomSecret } from '#lib/crypto/secret.ts';
import type { Transaction } from '#lib/db/database.ts';
import { conflict, notFound, ServiceError } from '#lib/errors.ts';
import { isGuid, newGuid } from '#lib/guid.ts';
import type { Language } from '#lib/html/html.ts';
import { translator } from '#lib/html/messages.ts';
import { qrSvg } from '#lib/html/qr-image.ts';
import type { Mailer } from '#lib/mail/mailer.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Notifier } from '../../notifications/notify-service.ts';
import { type Actor, auditedBy } from '../../shared/actor.ts';
import { hashToken } from '../../shared/key-ring.ts';
import { matchAt } from '../../shared/match-lifecycle.ts';
import { findMatchOfRequest } from '../../shared/match-store.ts';
import type { RequestContext } from '../../shared/request-context.ts';
import { lockServiceRequest } from '../../shared/service-request-store.ts';
import {
  type EndedReason,
  endLink,
  findLatestLink,
  findLinkTarget,
  findMailedRequest,
  insertLink,
  type LinkTarget,
  markMailDead,
  type ReceiptLink,
} from './link-store.ts';
import messages from './mails.messages.json' with { type: 'json' };

export type { ReceiptLink } from './link-store.ts';

/** The kind of the mails. */
const MAIL = 'receipt-link';

export interface LinkWish {
  /** Where the link is sent; it is only returned when left out. */
  readonly email: string | undefined;
  /** The language of the mail. */
  readonly language: Language;
  readonly withQr: boolean;
}

export interface NewLink {
  /** The address of the page, with the token in its fragment. */
  readonly link: string;
  /** An SVG. */
  readonly qr: string | undefined;
  readonly isMailed: boolean;
}

export interface LinkService {
  /**
   * Makes a new link and ends the one before it.
   * @throws ServiceError `not_found`, `conflict` before the push, `unprocessable` for a mail without a mail server
   */
  renew(actor: Actor, address: LinkAddress, wish: LinkWish): Promise<NewLink>;
  /** Ends the link; again changes nothing. @throws ServiceError `not_found`, `conflict` before the push */
  withdraw(actor: Actor, address: LinkAddress): Promise<void>;
  /** The latest link; undefined before the first. @throws ServiceError `not_found` */
  read(actor: Actor, address: LinkAddress): Promise<ReceiptLink | undefined>;
}

export interface LinkAddress {
  readonly serviceRequestId: string;
  readonly matchGuid: string;
}

export interface LinkServiceOptions extends WriteDependencies {
  readonly requestContext: RequestContext;
  /** Undefined without a mail server. */
  readonly mailer: Mailer | undefined;
  readonly notifier: Pick<Notifier, 'notify'>;
  /** The public address of the API, with `/api/v1` and without slash at the end. */
  readonly baseUrl: string;
}

export function createLinkService(options: LinkServiceOptions): LinkService {
  const { database, clock, audit, requestContext, mailer, notifier, baseUrl } = options;
  const page = `${baseUrl.replace(/\/api\/v1$/, '')}/receipt`;

  /** Locks the request, so that of links made at once one works in the end. */
  async function lock(transaction: Transaction, actor: Actor, { serviceRequestId, matchGuid }: LinkAddress) {
    const { record } = await requestContext.find(transaction, actor, serviceRequestId);
    await lockServiceRequest(transaction, serviceRequestId);
    const target = isGuid(matchGuid) ? await findLinkTarget(transaction, serviceRequestId, matchGuid) : undefined;
    if (target === undefined) throw notFound('Match');
    if (target === 'pending') throw conflict('The match has not been pushed; there is nothing to answer yet');
    const entities = [`ServiceRequest/${serviceRequestId}`, `request/${target.requestGuid}`];
    return { target, entry: { action: 'E' as const, patientGuid: record.patientGuid, entities } };
  }

  /** Returns the guid of the mail; undefined when none is wished for. */
  async function mail(transaction: Transaction, target: LinkTarget, link: string, wish: LinkWish) {
    if (wish.email === undefined) return undefined;
    if (mailer === undefined)
      throw new ServiceError('unprocessable', 'No mail server is configured; hand over the link');
    const text = translator(messages.link, wish.language);
    const values = { link, provider: target.providerName };
    const endOfDay = clock.now() + DAY_MS;
    const until = Math.min(target.respondBy?.getTime() ?? endOfDay, endOfDay);
    return mailer.queue(transaction, {
      kind: MAIL,
      to: wish.email,
      subject: text('subject', values),
      text: text('text', values),
      expiresAt: new Date(until),
    });
  }

  /** A mail with a link that has ended says nothing of use. */
  async function end(transaction: Transaction, requestGuid: string, reason: EndedReason): Promise<boolean> {
    const ended = await endLink(transaction, requestGuid, reason, new Date(clock.now()));
    if (ended?.mailGuid !== undefined) await mailer?.cancel(transaction, ended.mailGuid);
    return ended !== undefined;
  }

  /** The requester is notified while somebody waits for an answer to this link. */
  mailer?.whenGivenUp(MAIL, async (transaction, given) => {
    const found = await findMailedRequest(transaction, given.mailGuid);
    if (found === undefined) return;
    await lockServiceRequest(transaction, found.serviceRequestId);
    const works = await markMailDead(transaction, given);
    const match = await findMatchOfRequest(transaction, found.requestGuid);
    const isOpen = match !== undefined && matchAt(match, given.at.getTime()).status === 'pushed';
    if (works && isOpen) await notifier.notify(transaction, { kind: 'delivery_dead', ...found });
  });

  return {
    renew: (actor, address, wish) =>
      database.transaction(async (transaction) => {
        const { target, entry } = await lock(transaction, actor, address);
        const now = clock.now();
        const token = randomSecret();
        const link = `${page}#${token}`;
        const { requestGuid } = target;
        const isRenewal = await end(transaction, requestGuid, 'renewed');
        const mailGuid = await mail(transaction, target, link, wish);
        const isMailed = mailGuid !== undefined;
        const made = {
          linkGuid: newGuid(now),
          requestGuid,
          tokenHash: hashToken(token),
          createdBy: actor.principal.id,
        };
        await insertLink(transaction, { ...made, mailGuid }, new Date(now));
        const how = isMailed ? `by mail to ${wish.email}` : wish.withQr ? 'as a QR code' : 'handed over';
        const detail = isRenewal ? `${how}, in the place of the one before` : how;
        await audit.record(transaction, auditedBy(actor, { ...entry, event: 'request.link', detail }));
        return { link, qr: wish.withQr ? qrSvg(link) : undefined, isMailed };
      }),
    withdraw: (actor, address) =>
      database.transaction(async (transaction) => {
        const { target, entry } = await lock(transaction, actor, address);
        const hasEnded = await end(transaction, target.requestGuid, 'withdrawn');
        if (hasEnded) await audit.record(transaction, auditedBy(actor, { ...entry, event: 'request.withdraw-link' }));
      }),
    async read(actor, { serviceRequestId, matchGuid }) {
      const { record } = await requestContext.find(database, actor, serviceRequestId);
      const target = isGuid(matchGuid) ? await findLinkTarget(database, serviceRequestId, matchGuid) : undefined;
      if (target === undefined) throw notFound('Match');
      await requestContext.recordRead(actor, { record, event: 'link', action: 'R' });
      return target === 'pending' ? undefined : findLatestLink(database, target.requestGuid);
    },
  };
}
