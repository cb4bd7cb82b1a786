// An independent evaluator of consents, to test the gate against. Instead of three-valued logic it tries every possible
// outcome of what cannot be evaluated, and permits only when all of them permit.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type {
  Consent,
  ConsentPolicy,
  ConsentQuestion,
  PatientConsents,
  Provision,
  Recipient,
  Reference,
} from './consent.ts';

/** The time zone by name, as this evaluator uses no calendar. */
export interface SlowQuestion extends Omit<ConsentQuestion, 'calendar'> {
  readonly zone: string;
}

/** Answers doubts from a list of coin tosses, and counts them. */
interface Oracle {
  toss(): boolean;
}

interface Concept {
  readonly code: string;
  readonly property?: readonly { readonly code: string; readonly valueCode?: string }[];
}

/** Every purpose of use, as published by HL7, and whether it is a kind of treatment. */
export const KNOWN_PURPOSES: Readonly<Record<string, boolean>> = purposesByHierarchy();

function purposesByHierarchy(): Record<string, boolean> {
  const file = createRequire(import.meta.url).resolve('hl7.terminology.r5/CodeSystem-v3-ActReason.json');
  const { concept }: { concept: Concept[] } = JSON.parse(readFileSync(file, 'utf8'));
  const above = new Map(
    concept.map(({ code, property = [] }) => [
      code,
      property.filter((each) => each.code === 'subsumedBy').map(({ valueCode = '' }) => valueCode),
    ]),
  );
  const isA = (code: string, kind: string): boolean =>
    code === kind || (above.get(code) ?? []).some((parent) => isA(parent, kind));
  const purposes = [...above.keys()].filter((code) => isA(code, 'PurposeOfUse') || isA('TREAT', code));
  return Object.fromEntries(purposes.map((code) => [code, isA('TREAT', code)]));
}

/**
 * A provider and the organisations above it, by a table of parents; `undefined` for an organisation that is not stored.
 */
export function recipientByHand(provider: string, partOf: Readonly<Record<string, string | null>>): Recipient {
  const guids = [provider];
  for (let steps = 0; steps < 50; steps += 1) {
    const above = partOf[guids.at(-1) ?? ''];
    if (above === null) return { guids: new Set(guids), isComplete: true };
    if (above === undefined || guids.includes(above)) break;
    guids.push(above);
  }
  return { guids: new Set(guids), isComplete: false };
}

const KNOWN_ACTIONS: Record<string, boolean> = {
  disclose: true,
  use: true,
  access: true,
  collect: false,
  correct: false,
};
const KNOWN_ROLES: Record<string, boolean> = { none: true, IRCP: true, PRCP: true };
const KNOWN_TYPES: Record<string, boolean> = { Observation: false, Resource: true };

/** Who stated what about which record: a person about themselves, or staff, who are nobody here. */
export interface Statement {
  readonly consent: Consent;
  readonly about: string;
  readonly by: string | undefined;
}

/**
 * The consents that count for a record, by a table of whose records are whose. What a person stated counts for the
 * records of that person, whatever record it names; what staff wrote counts for the record that it names.
 */
export function consentsByHand(
  record: string,
  statements: readonly Statement[],
  personOf: Readonly<Record<string, string | undefined>>,
): Consent[] {
  const person = personOf[record] ?? record;
  return statements
    .filter(({ by, about }) => (by === undefined ? about === record : by === person || by === record))
    .map(({ consent }) => consent);
}

/** Whether the data may go: true only when no outcome of the doubts leads to a refusal. */
export function decideSlowly(
  { consents, objections, isComplete }: PatientConsents,
  question: SlowQuestion,
  policy: ConsentPolicy,
): boolean {
  if (!isComplete) return false;
  const outcomesOf = (of: readonly Consent[]) =>
    of.map((consent) => everyOutcome((oracle) => evaluate(consent, question, oracle)));
  // A permission of a record that may only object does not count.
  const objecting = outcomesOf(objections).filter((possible) => !(possible.size === 1 && possible.has('permit')));
  const outcomes = [...outcomesOf(consents), ...objecting];
  let hasPermission = false;
  for (const possible of outcomes) {
    // A consent with several possible verdicts cannot be evaluated. One that never applies has no verdict.
    if (possible.size > 1 || possible.has('deny') || possible.has('doubt')) return false;
    if (possible.has('permit')) hasPermission = true;
  }
  return hasPermission || policy === 'implied';
}

/** Runs the evaluation once for every combination of coin tosses that it needs. */
function everyOutcome(run: (oracle: Oracle) => string): Set<string> {
  const results = new Set<string>();
  const open: boolean[][] = [[]];
  for (let tosses = open.pop(); tosses !== undefined && results.size < 3; tosses = open.pop()) {
    let at = 0;
    let isCut = false;
    const given = tosses;
    const result = run({
      toss() {
        const known = given[at];
        at += 1;
        if (known === undefined) isCut = true;
        return known ?? false;
      },
    });
    if (isCut) open.push([...given, false], [...given, true]);
    else results.add(result);
  }
  return results;
}

function evaluate(consent: Consent, question: SlowQuestion, oracle: Oracle): string {
  if (consent.status !== 'active') return 'silent';
  if (!inPeriod(consent.period, question, oracle)) return 'silent';
  if (consent.grantee && consent.grantee.length > 0) {
    if (!consent.grantee.some((grantee) => isNamed(grantee, question, oracle))) return 'silent';
  }
  if (consent.modifierExtension !== undefined) return oracle.toss() ? 'permit' : 'deny';
  if (consent.implicitRules !== undefined) return oracle.toss() ? 'permit' : 'deny';
  if (consent.decision === undefined) return oracle.toss() ? 'permit' : 'deny';
  const isException = (consent.provision ?? []).some((provision) => isInEffect(provision, question, oracle));
  return (consent.decision === 'permit') === isException ? 'deny' : 'permit';
}

function isInEffect(provision: Provision, question: SlowQuestion, oracle: Oracle): boolean {
  if (!inPeriod(provision.period, question, oracle)) return false;
  if (
    provision.actor &&
    !provision.actor.some(
      ({ reference, role }) =>
        (KNOWN_ROLES[role?.coding?.[0]?.code ?? 'none'] ?? oracle.toss()) && isNamed(reference ?? {}, question, oracle),
    )
  )
    return false;
  if (provision.purpose && !provision.purpose.some(({ code }) => KNOWN_PURPOSES[code ?? ''] ?? oracle.toss()))
    return false;
  if (
    provision.action &&
    !provision.action.some((action) => KNOWN_ACTIONS[action.coding?.[0]?.code ?? ''] ?? oracle.toss())
  )
    return false;
  if (provision.resourceType && !provision.resourceType.some(({ code }) => KNOWN_TYPES[code ?? ''] ?? oracle.toss()))
    return false;
  if (provision.code !== undefined && !oracle.toss()) return false;
  if (provision.securityLabel !== undefined && !oracle.toss()) return false;
  if (provision.modifierExtension !== undefined && !oracle.toss()) return false;
  return !(provision.provision ?? []).some((nested) => isInEffect(nested, question, oracle));
}

function isNamed(named: Reference, { recipient }: SlowQuestion, oracle: Oracle): boolean {
  const text = named.reference ?? `identifier:${named.identifier?.value}`;
  if (/Patient\/|RelatedPerson\//.test(text)) return false;
  const guid =
    text
      .replace(/\/_history\/.*/, '')
      .split(/[/:]/)
      .at(-1) ?? '';
  if (/Practitioner\/|Group\//.test(text)) return oracle.toss();
  if (recipient.guids.has(guid)) return true;
  // A reference without a type may mean any organisation.
  if (!text.includes('Organization/')) return oracle.toss();
  return !recipient.isComplete && oracle.toss();
}

const walls = new Map<string, string>();

/** Cached, as creating a formatter is slow and tests use few moments and zones. */
function onTheWall(at: number, zone: string): string {
  const key = `${at} ${zone}`;
  const shown = walls.get(key) ?? new Date(at).toLocaleString('sv-SE', { timeZone: zone });
  walls.set(key, shown);
  return shown;
}

function inPeriod(
  period: { start?: string; end?: string } | undefined,
  { at, zone }: SlowQuestion,
  oracle: Oracle,
): boolean {
  // A date is compared with local time, an instant with UTC.
  const shown = (bound: string) => (bound.includes('T') ? new Date(at).toISOString() : onTheWall(at, zone));
  const { start, end } = period ?? {};
  if (start === 'bad') {
    if (!oracle.toss()) return false;
  } else if (start !== undefined && shown(start).slice(0, start.length) < start) return false;
  return end === undefined || shown(end).slice(0, Math.min(end.length, 19)) <= end.slice(0, 19);
}

/** Links between records as a table of from, type and to. `to` is undefined for a record of another server. */
export type LinkTable = readonly (readonly [from: string, type: string, to: string | undefined])[];

/**
 * Of the stored records: those whose consents are the patient's own, those that may object, and whether all are known.
 */
export function personByHand(patient: string, links: LinkTable, kept: readonly string[]) {
  const merges = links.filter(([, type]) => type === 'replaced-by' || type === 'replaces');
  const spread = (from: readonly string[], isEitherWay: boolean) => {
    let found = [...from];
    for (let round = 0; round < 100; round += 1) {
      const there = merges.filter(([a]) => found.includes(a)).flatMap(([, , b]) => b ?? []);
      const back = merges.filter(([, , b]) => isEitherWay && b !== undefined && found.includes(b)).map(([a]) => a);
      found = [...new Set([...found, ...there, ...back])];
    }
    return found;
  };
  const own = spread([patient], false);
  const all = spread(own, true);
  const lost = merges.some(
    ([a, type, b]) => all.includes(a) && type === 'replaced-by' && !(b !== undefined && kept.includes(b)),
  );
  return { own, others: all.filter((id) => !own.includes(id)), isComplete: !lost };
}
