// Whether a provision of a consent applies to the question (decision D7). All its elements must match, by one of their
// values each. An element that is not understood makes the result unknown.
import type { Period } from '#fhir/primitives/date-time.ts';
import { allOf, anyOf, type Certainty, certain, not } from './certainty.ts';
import type {
  CodeableConcept,
  Coding,
  ConsentQuestion,
  DatePeriod,
  Provision,
  Recipient,
  Reference,
} from './consent.ts';
import { coversTreatment } from './purposes.ts';

const ACTIONS = 'http://terminology.hl7.org/CodeSystem/consentaction';
const RESOURCE_TYPES = 'http://hl7.org/fhir/fhir-types';
const PARTICIPATION = 'http://terminology.hl7.org/CodeSystem/v3-ParticipationType';

/** The types in the bundle of a dispatched request. */
const SENT_TYPES = ['ServiceRequest', 'CarePlan', 'Questionnaire', 'Binary', 'Patient'];

/** Roles of a recipient of information. */
const RECEIVING_ROLES = new Set(['IRCP', 'PRCP', 'REFT', 'TRC']);

/** References of these types never stand for a caregiver organisation. */
const NEVER_AN_ORGANISATION = new Set(['Patient', 'RelatedPerson', 'Device']);

const ORGANISATION_REFERENCE = /^(?:https?:\/\/.+\/)?([A-Z][A-Za-z]+)\/([A-Za-z0-9\-.]{1,64})(?:\/_history\/.+)?$/;

/** Whether the provision applies: it matches, and none of the nested provisions, which are its exceptions, applies. */
export function applies(provision: Provision, question: ConsentQuestion): Certainty {
  const exceptions = (provision.provision ?? []).map((nested) => applies(nested, question));
  return allOf([matches(provision, question), not(anyOf(exceptions))]);
}

function matches(provision: Provision, { recipient, ...moment }: ConsentQuestion): Certainty {
  return allOf([
    holdsAt(provision.period, moment),
    anyValue(provision.actor, (actor) =>
      allOf([receives(actor.role), isUnmodified(actor), names(actor.reference, recipient)]),
    ),
    anyValue(provision.action, isDisclosure),
    anyValue(provision.purpose, coversTreatment),
    coversSentTypes(provision.resourceType),
    isUnmodified(provision),
    // These elements narrow a provision to some of the data, and the bundle is not compared with them.
    ...[
      provision.securityLabel,
      provision.documentType,
      provision.code,
      provision.dataPeriod,
      provision.data,
      provision.expression,
    ].map((element): Certainty => (element === undefined ? 'yes' : 'unknown')),
  ]);
}

/**
 * Whether the period includes the moment. An end that is a day or a month includes all of it, in the calendar's time
 * zone.
 */
export function holdsAt(
  period: DatePeriod | undefined,
  { at, calendar }: Pick<ConsentQuestion, 'at' | 'calendar'>,
): Certainty {
  // An absent bound is open. A bound that is there without a value is unknown.
  const holds = (text: string | undefined, reason: unknown, evaluate: (bound: Period) => boolean): Certainty => {
    if (text === undefined) return reason === undefined ? 'yes' : 'unknown';
    const bound = calendar.periodOf(text);
    return bound === undefined ? 'unknown' : certain(evaluate(bound));
  };
  if (period === undefined) return 'yes';
  return allOf([
    holds(period.start, period._start, ({ start }) => start <= at),
    holds(period.end, period._end, ({ end }) => at <= end),
  ]);
}

/** Whether the reference means the recipient or an organisation above it. */
export function names(reference: Reference | undefined, recipient: Recipient): Certainty {
  if (reference?.reference === undefined) {
    const value = reference?.identifier?.value;
    return value !== undefined && recipient.guids.has(value) ? 'yes' : 'unknown';
  }
  const guid = /^urn:uuid:(.+)$/.exec(reference.reference)?.[1];
  if (guid !== undefined) return recipient.guids.has(guid) ? 'yes' : 'unknown';
  const [, type = '', id = ''] = ORGANISATION_REFERENCE.exec(reference.reference) ?? [];
  if (NEVER_AN_ORGANISATION.has(type)) return 'no';
  // A practitioner, team or group may or may not belong to the recipient.
  if (type !== 'Organization') return 'unknown';
  if (recipient.guids.has(id)) return 'yes';
  return recipient.isComplete ? 'no' : 'unknown';
}

export function isUnmodified(element: { readonly modifierExtension?: unknown }): Certainty {
  return element.modifierExtension === undefined ? 'yes' : 'unknown';
}

/** An absent element does not narrow the provision. */
export function anyValue<T>(values: readonly T[] | undefined, evaluate: (value: T) => Certainty): Certainty {
  return values === undefined || values.length === 0 ? 'yes' : anyOf(values.map(evaluate));
}

function receives(role: CodeableConcept | undefined): Certainty {
  if (role === undefined) return 'yes';
  return anyCoding(role, PARTICIPATION, (code) => (RECEIVING_ROLES.has(code) ? 'yes' : 'unknown'));
}

function isDisclosure(action: CodeableConcept): Certainty {
  return anyCoding(action, ACTIONS, (code) => {
    if (code === 'disclose' || code === 'access' || code === 'use') return 'yes';
    return code === 'collect' || code === 'correct' ? 'no' : 'unknown';
  });
}

function anyCoding(concept: CodeableConcept, system: string, evaluate: (code: string) => Certainty): Certainty {
  const codings = concept.coding ?? [];
  if (codings.length === 0) return 'unknown';
  return anyOf(codings.map((coding) => evaluateCoding(coding, system, evaluate)));
}

function evaluateCoding(coding: Coding, system: string, evaluate: (code: string) => Certainty): Certainty {
  const isKnown = coding.code !== undefined && (coding.system === undefined || coding.system === system);
  return isKnown ? evaluate(coding.code ?? '') : 'unknown';
}

/** Unknown when the provision covers only some of the types in a bundle. */
function coversSentTypes(types: readonly Coding[] | undefined): Certainty {
  if (types === undefined || types.length === 0) return 'yes';
  if (types.some(({ system, code }) => code === undefined || (system !== undefined && !isTypeSystem(system)))) {
    return 'unknown';
  }
  const named = new Set(types.map(({ code }) => code));
  const covered = SENT_TYPES.filter((type) => named.has(type) || named.has('Resource') || named.has('DomainResource'));
  if (covered.length === 0) return 'no';
  return covered.length === SENT_TYPES.length ? 'yes' : 'unknown';
}

function isTypeSystem(system: string): boolean {
  return system === RESOURCE_TYPES || system === 'http://hl7.org/fhir/resource-types';
}
