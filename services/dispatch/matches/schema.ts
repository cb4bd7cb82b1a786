// The wire shapes of matches and of the attempts to send them (decisions D4, L6).
import Type, { type Static } from 'typebox';
import { compact } from '#fhir/json/members.ts';
import { LinkMailWire, toLinkMailWire } from '../shared/link-mail.ts';
import { Moment, nullable } from '../shared/wire.ts';
import { DELIVERY_STATES } from './delivery-state.ts';
import type { MatchView } from './service.ts';

const DeliveryWire = Type.Object(
  {
    state: Type.Enum([...DELIVERY_STATES]),
    attempts: Type.Integer(),
    last_error: nullable(Type.String({ description: 'The class of the last failure, or why it is held or cancelled' })),
    next_at: nullable(Moment),
    delivered_at: nullable(Moment),
  },
  { title: 'MatchDelivery' },
);

/** The provider's person, for the requester's staff. */
const Person = Type.Object({ name: nullable(Type.String()) });

export const MatchWire = Type.Object(
  {
    match_guid: Type.String(),
    provider_guid: Type.String(),
    provider_name: Type.String(),
    contract_guid: Type.String(),
    status: Type.String({ description: 'pending, pushed, accepted, rejected, withdrawn or expired' }),
    request_guid: Type.Optional(Type.String({ description: 'What the provider knows it by, once pushed' })),
    progress: Type.Optional(Type.String({ description: 'acknowledged, in_progress, completed or rejected' })),
    progress_note: Type.Optional(Type.String()),
    blocked_reason: Type.Optional(Type.String({ description: 'Why the consent gate kept it back' })),
    withdrawn_reason: Type.Optional(Type.String({ description: 'revoked, taken or completed' })),
    rejected_reason: Type.Optional(Type.String()),
    respond_by: Type.Optional(Moment),
    pushed_at: Type.Optional(Moment),
    responded_at: Type.Optional(Moment),
    accepted_by: Type.Optional(Person),
    reported_by: Type.Optional(Person),
    results: Type.Optional(Type.Array(Type.String())),
    delivery: nullable(DeliveryWire),
    link_mail: Type.Optional(LinkMailWire),
    updated_at: Moment,
  },
  { title: 'Match' },
);

export function toMatchWire(match: MatchView): Static<typeof MatchWire> {
  return {
    match_guid: match.matchGuid,
    provider_guid: match.providerGuid,
    provider_name: match.providerName,
    contract_guid: match.contractGuid,
    status: match.status,
    updated_at: match.updatedAt.toISOString(),
    ...compact({
      request_guid: match.requestGuid,
      progress: match.progress === 'none' ? undefined : match.progress,
      progress_note: match.progressNote,
      blocked_reason: match.blockedReason,
      withdrawn_reason: match.withdrawnReason,
      rejected_reason: match.rejectedReason,
      respond_by: match.respondBy?.toISOString(),
      pushed_at: match.pushedAt?.toISOString(),
      responded_at: match.respondedAt?.toISOString(),
      accepted_by: match.acceptedByGuid && { name: match.acceptedByName ?? null },
      reported_by: match.reportedByGuid && { name: match.reportedByName ?? null },
      link_mail: match.linkMail && toLinkMailWire(match.linkMail),
      results: match.results.length === 0 ? undefined : match.results,
    }),
    delivery: toDeliveryWire(match.delivery),
  };
}

function toDeliveryWire(delivery: MatchView['delivery']): Static<typeof DeliveryWire> | null {
  if (delivery === undefined) return null;
  return {
    state: delivery.state,
    attempts: delivery.attempts,
    last_error: delivery.lastError ?? null,
    next_at: delivery.nextAt?.toISOString() ?? null,
    delivered_at: delivery.deliveredAt?.toISOString() ?? null,
  };
}
