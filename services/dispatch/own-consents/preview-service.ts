// What a decision of the patient's would change, before it is made (decision L3). It is the open requests to providers
// for which the consent gate would decide otherwise. Nothing is stored but the access record.
import type { Calendar } from '#fhir/primitives/calendar.ts';
import { notFound } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import {
  type Compared,
  type ConsentDecision,
  explainRefusal,
  type PreviewGate,
  type RefusalCode,
} from '../consent/service.ts';
import { type Actor, auditedBy } from '../shared/actor.ts';
import { consentOf, type Decision } from './content.ts';
import { isDecider, recordsOf, requirePeriod } from './service.ts';
import { findDecider, listOpenMatches, type OpenMatch } from './store.ts';

/** Open matches of one person that are looked at. */
const MOST_MATCHES = 200;

/** A new decision, or the end of one. */
export type Change = Decision | { readonly ends: string };

type Answer = 'permitted' | RefusalCode;

export interface Effect extends OpenMatch {
  readonly before: Answer;
  readonly after: Answer;
  /** The name of the text that says it. */
  readonly text: EffectText;
}

export type EffectText =
  | 'stopsPending'
  | 'stopsPushed'
  | 'stopsAccepted'
  | 'opensPending'
  | 'opensPushed'
  | 'opensAccepted'
  | 'otherReason';

export interface Preview {
  readonly at: Date;
  readonly affected: readonly Effect[];
  readonly unaffected: number;
  readonly hasMore: boolean;
}

export interface PreviewService {
  /** @throws ServiceError `not_found` for the end of what is not the caller's own, `validation_error` */
  preview(actor: Actor, change: Change): Promise<Preview>;
}

export interface PreviewServiceOptions extends WriteDependencies {
  readonly calendar: Calendar;
  readonly gate: PreviewGate;
}

export function createPreviewService(options: PreviewServiceOptions): PreviewService {
  const { database, clock, calendar, audit, gate } = options;

  /** The moment at which the decision is in force: now, or when it begins. */
  function momentOf(change: Change): number {
    const start = 'ends' in change ? undefined : change.startsOn;
    return Math.max(clock.now(), start === undefined ? 0 : (calendar.periodOf(start)?.start ?? 0));
  }

  return {
    async preview(actor, change) {
      const { patientGuid } = actor.principal;
      if ('ends' in change) {
        if (!isDecider(actor.principal, await findDecider(database, change.ends))) throw notFound('Consent');
      } else requirePeriod(change, calendar.dayOf(clock.now()));
      const found = await listOpenMatches(database, recordsOf(actor.principal), MOST_MATCHES + 1);
      const matches = found.slice(0, MOST_MATCHES);
      const at = momentOf(change);
      const compared = await gate.compare(matches.map(toQuestion), { at, ...toChange(change) });
      const affected = matches.flatMap((match, index) => toEffect(match, compared[index]) ?? []);
      const entities = affected.map(({ serviceRequestId }) => `ServiceRequest/${serviceRequestId}`);
      const entry = { action: 'E' as const, event: 'own-consent.preview', entities: [...new Set(entities)] };
      await audit.recordRead(auditedBy(actor, { ...entry, ...(patientGuid === undefined ? {} : { patientGuid }) }));
      const unaffected = matches.length - affected.length;
      return { at: new Date(at), affected, unaffected, hasMore: found.length > matches.length };
    },
  };
}

function toQuestion({ patientGuid, providerGuid, organisationGuid, serviceRequestId }: OpenMatch) {
  return { patientGuid, providerGuid, organisationGuid, subject: `ServiceRequest/${serviceRequestId}` };
}

function toChange(change: Change) {
  if ('ends' in change) return { endedId: change.ends };
  return { added: { ...consentOf(change), id: newGuid(), status: 'active' } };
}

/** Undefined where nothing changes. */
function toEffect(match: OpenMatch, compared: Compared | undefined): Effect | undefined {
  if (compared === undefined) return undefined;
  const [before, after] = [answerOf(compared.before), answerOf(compared.after)];
  if (before === after) return undefined;
  return { ...match, before, after, text: textOf(match, compared) };
}

function answerOf(decision: ConsentDecision): Answer {
  return decision.permitted ? 'permitted' : explainRefusal(decision);
}

const TEXTS = {
  pending: { stops: 'stopsPending', opens: 'opensPending' },
  pushed: { stops: 'stopsPushed', opens: 'opensPushed' },
  accepted: { stops: 'stopsAccepted', opens: 'opensAccepted' },
} as const;

function textOf({ status }: OpenMatch, { before, after }: Compared): EffectText {
  if (before.permitted === after.permitted) return 'otherReason';
  return TEXTS[status][after.permitted ? 'opens' : 'stops'];
}
