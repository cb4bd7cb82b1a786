// An independent judge of the consent gate, for its tests: instead of three-valued logic it tries every way in which what cannot be
// evaluated might turn out, and permits only when all of them permit.
import type { Consent, ConsentPolicy, ConsentQuestion, Provision } from './consent.ts';

/** Answers one doubt after the other from a list of coin tosses, noting how many there were. */
interface Oracle {
  toss(): boolean;
}

const KNOWN_PURPOSES: Record<string, boolean> = { TREAT: true, PurposeOfUse: true, HRESCH: false, ETREAT: false };
const KNOWN_ACTIONS: Record<string, boolean> = {
  disclose: true,
  use: true,
  access: true,
  collect: false,
  correct: false,
};
const KNOWN_TYPES: Record<string, boolean> = { Observation: false, Resource: true };

/** Whether the data may go: true only when no way of settling the doubts leads to a refusal. */
export function decideSlowly(consents: readonly Consent[], question: ConsentQuestion, policy: ConsentPolicy): boolean {
  const outcomes = consents.map((consent) => everyOutcome((oracle) => judge(consent, question, oracle)));
  let hasPermission = false;
  for (const possible of outcomes) {
    // A consent that might say one thing or another cannot be evaluated; one that is silent either way is silent.
    if (possible.size > 1 || possible.has('deny') || possible.has('doubt')) return false;
    if (possible.has('permit')) hasPermission = true;
  }
  return hasPermission || policy === 'implied';
}

/** Runs the judgement once for every combination of coin tosses that it asks for. */
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

function judge(consent: Consent, question: ConsentQuestion, oracle: Oracle): string {
  if (consent.status !== 'active') return 'silent';
  if (!inPeriod(consent.period, question.at, oracle)) return 'silent';
  if (consent.grantee && consent.grantee.length > 0) {
    if (!consent.grantee.some((grantee) => isNamed(grantee.reference ?? '', question, oracle))) return 'silent';
  }
  if (consent.modifierExtension !== undefined) return oracle.toss() ? 'permit' : 'deny';
  if (consent.decision === undefined) return oracle.toss() ? 'permit' : 'deny';
  const isException = (consent.provision ?? []).some((provision) => isInEffect(provision, question, oracle));
  return (consent.decision === 'permit') === isException ? 'deny' : 'permit';
}

function isInEffect(provision: Provision, question: ConsentQuestion, oracle: Oracle): boolean {
  if (!inPeriod(provision.period, question.at, oracle)) return false;
  if (
    provision.actor &&
    !provision.actor.some(({ reference }) => isNamed(reference?.reference ?? '', question, oracle))
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
  if (provision.modifierExtension !== undefined && !oracle.toss()) return false;
  return !(provision.provision ?? []).some((nested) => isInEffect(nested, question, oracle));
}

function isNamed(reference: string, { recipient }: ConsentQuestion, oracle: Oracle): boolean {
  const [type, id = ''] = reference.split('/');
  if (type === 'Patient') return false;
  if (type === 'Group') return oracle.toss();
  return recipient.guids.has(id) || (!recipient.isComplete && oracle.toss());
}

function inPeriod(period: { start?: string; end?: string } | undefined, at: number, oracle: Oracle): boolean {
  const day = new Date(at).toISOString();
  if (period?.start === 'bad') {
    if (!oracle.toss()) return false;
  } else if (period?.start !== undefined && day.slice(0, period.start.length) < period.start) return false;
  return period?.end === undefined || day.slice(0, Math.min(period.end.length, 19)) <= period.end.slice(0, 19);
}
