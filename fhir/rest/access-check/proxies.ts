// Whom a caller acts for in an access check: a patient whose proxy or guardian they are (docs/adr/0074). What is
// permitted is decided by the function that reads the header of requests; identity's relation only words the reason
// (docs/adr/0091).
import type { Principal } from '#lib/auth/principal.ts';
import { ServiceError } from '#lib/errors.ts';
import { actingFor, PROXY_FOR } from '#lib/http/acting-for.ts';
import type { ProxyRelation } from './proxy-relation.ts';
import type { Reason } from './reasons.ts';
import { ruleOf } from './rules.ts';
import type { DecidedAct, DecidingRule } from './schema.ts';

/** One person as whom the caller is asked about. */
export interface Acting {
  /** With the rights of the patient where the caller acts for one; undefined for a caller without any rights here. */
  readonly principal: Principal | undefined;
  /** The patient for whom, and the rule by which; none where the caller acts for themself. */
  readonly actingFor?: string;
  readonly rule?: DecidingRule;
}

/** The caller as a request with the header that names the patient makes them. */
export function actAs(principal: Principal, patientGuid: string, relations: readonly ProxyRelation[]): Acting {
  // Who names themself is themself.
  if (patientGuid === principal.patientGuid) return { principal };
  const relation = relationTo(relations, patientGuid);
  try {
    const acting = actingFor(principal, { [PROXY_FOR]: patientGuid });
    return { principal: acting, actingFor: patientGuid, rule: grantedRule(acting, relation) };
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'forbidden')) throw error;
    return { principal, actingFor: patientGuid, rule: refusedRule(relation) };
  }
}

/** One for each patient whom the record is about, and whose proxy the caller is, was or is asked to be. */
export function proxiesOf(
  principal: Principal,
  relations: readonly ProxyRelation[],
  patients: readonly string[],
): readonly Acting[] {
  const granted = (principal.proxyFor ?? []).map(({ patientGuid, linkedRecords }) => ({
    patientGuid,
    records: [patientGuid, ...(linkedRecords?.engine ?? []), ...(linkedRecords?.dispatch ?? [])],
  }));
  const concerned = [...granted, ...relations].filter(({ records }) => records.some((id) => patients.includes(id)));
  const guids = new Set(concerned.map(({ patientGuid }) => patientGuid));
  guids.delete(principal.patientGuid ?? '');
  return [...guids].map((patientGuid) => actAs(principal, patientGuid, relations));
}

/** The acts with the rule about the proxy before the others, which refuses them all where it refuses. */
export function withProxy(
  { actingFor: patient, rule }: Acting,
  acts: readonly (Pick<DecidedAct, 'act' | 'resource_type'> & Partial<DecidedAct>)[],
): DecidedAct[] {
  const first = rule === undefined ? [] : [rule];
  const asPatient = patient === undefined ? {} : { acting_for: patient };
  return acts.map(({ allowed = rule?.permits === true, rules = [], ...act }) => ({
    ...act,
    ...asPatient,
    allowed,
    rules: [...first, ...rules],
  }));
}

/** The one in force, else the latest. */
function relationTo(relations: readonly ProxyRelation[], patientGuid: string): ProxyRelation | undefined {
  const these = relations.filter((relation) => relation.patientGuid === patientGuid);
  return these.find(({ status }) => status === 'active') ?? these[0];
}

function grantedRule({ proxy }: Principal, relation: ProxyRelation | undefined): DecidingRule {
  const may = proxy === undefined ? [] : [proxy.may];
  const isInForce = relation?.status === 'active';
  const until = isInForce ? [relation.endsAt] : [];
  const reason = isInForce && relation.kind === 'guardian' ? 'is_guardian' : 'is_proxy';
  return ruleOf('proxy', true, reason, { given: [...may, ...until] });
}

function refusedRule(relation: ProxyRelation | undefined): DecidingRule {
  if (relation === undefined) return ruleOf('proxy', false, 'not_a_proxy');
  const since = relation.endedAt ?? (relation.status === 'over' ? relation.endsAt : undefined);
  return ruleOf('proxy', false, refusalOf(relation), { given: since === undefined ? [] : [since] });
}

function refusalOf({ status, kind, endedBy }: ProxyRelation): Reason {
  switch (status) {
    case 'invited':
      return 'proxy_not_accepted';
    case 'over':
      return kind === 'guardian' ? 'guardian_over' : 'proxy_over';
    case 'ended':
      if (endedBy === 'administrator') return 'guardian_ended';
      return endedBy === 'patient' ? 'proxy_withdrawn' : 'proxy_declined';
    // In force at identity by now, or beyond those that count.
    case 'active':
      return 'not_a_proxy';
    default:
      return status satisfies never;
  }
}
