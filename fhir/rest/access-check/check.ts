// What a caller may do with one FHIR record, and by which rules. The rules are permission, scopes, the rules of reports
// and the access filter, in the order in which a request meets them (docs/adr/0105).
import { isJsonObject } from '#fhir/patch/json-tree.ts';
import type { ResourceText } from '#fhir/resources/resource-text.ts';
import type { Access } from '#fhir/store/access.ts';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import { requireNoReport } from '#fhir/store/write/write.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { ServiceError } from '#lib/errors.ts';
import { parseInSlices } from '#lib/jobs/sliced-json.ts';
import { permissionFor, SCOPE_ACTIONS } from '../admission.ts';
import type { FhirRestOptions, FhirTypeOptions, Interaction } from '../options.ts';
import { recordRule, searchRule } from './record-rule.ts';
import { decideAct, roleRule, ruleOf, type Step } from './rules.ts';
import type { DecidedAct, DecidingRule } from './schema.ts';

/** The interactions that are explained; those left out are decided as one of these. */
const ACTS = ['read', 'search-type', 'history-instance', 'update', 'delete'] as const satisfies readonly Interaction[];
/** What is asked about in the first place beside a Patient: the records that are about patients. */
const OF_PATIENTS = 'CarePlan ServiceRequest Observation QuestionnaireResponse DiagnosticReport Consent'.split(' ');

/** The options of the FHIR routes by which requests are decided. */
export type DecidingOptions = Pick<
  FhirRestOptions,
  'store' | 'database' | 'types' | 'hasRight' | 'access' | 'completeReport' | 'ownerOrganisation'
>;

interface Asked {
  readonly principal: Principal | undefined;
  readonly type: FhirTypeOptions;
  readonly record: StoredVersion;
}

/** The decision about each act with the record; of a Patient, also about searches of what is about patients. */
export async function checkRecord(
  options: DecidingOptions,
  { principal, record }: Omit<Asked, 'type'>,
): Promise<DecidedAct[]> {
  const type = options.types.find((each) => each.type === record.resourceType);
  if (type === undefined) return [];
  const acts: DecidedAct[] = [];
  for (const act of ACTS)
    if (type.interactions.includes(act)) acts.push(await checkAct(options, { principal, type, record }, act));
  if (record.resourceType !== 'Patient') return acts;
  const others = options.types.filter((each) => OF_PATIENTS.includes(each.type));
  for (const other of others) acts.push(await checkAct(options, { principal, type: other, record }, 'search-type'));
  return acts;
}

function checkAct(
  options: DecidingOptions,
  { principal, type, record }: Asked,
  act: (typeof ACTS)[number],
): Promise<DecidedAct> {
  const about = { act, resource_type: type.type };
  const role = () => roleRule(permissionFor(type, act), principal);
  if (principal === undefined) return decideAct(about, [role]);
  return decideAct(about, [
    role,
    () => scopeRule(options, { principal, type: type.type }, act),
    ...recordSteps(options, { principal, type, record }, act),
  ]);
}

function scopeRule(
  { hasRight }: DecidingOptions,
  { principal, type }: { readonly principal: Principal; readonly type: string },
  act: Interaction,
): DecidingRule | undefined {
  if (!principal.roles.has('api_key')) return undefined;
  const action = SCOPE_ACTIONS[act];
  const permits = hasRight(principal, type, action);
  const facts = { needed: [`system/${type}.${action}`], given: principal.scopes };
  return ruleOf('scope', permits, permits ? 'scope_held' : 'scope_missing', facts);
}

function recordSteps(
  options: DecidingOptions,
  { principal, type, record }: Asked & { readonly principal: Principal },
  act: (typeof ACTS)[number],
): Step[] {
  const access = () => options.access(principal, act);
  // The type of a search may be another than the record's.
  if (act === 'search-type') return [() => refusedOr(() => searchRule(access()(type.type)))];
  if (act === 'read' || act === 'history-instance')
    return [() => refusedOr(() => recordRule(options, record, access()))];
  const reported = act === 'update' ? reportOf(options, principal, record) : undefined;
  return [
    async () => (await reported)?.rule,
    async () => recordRule(options, record, (await reported)?.access ?? access()),
    async () => keptRule((await reported)?.access ?? access(), record),
  ];
}

interface Reported {
  readonly rule: DecidingRule | undefined;
  /** In place of the caller's own. */
  readonly access: Access | undefined;
}

/** What the service says of the same content as a correction, as it does before every update; it stores nothing. */
async function reportOf(options: DecidingOptions, principal: Principal, record: StoredVersion): Promise<Reported> {
  const { completeReport, database, ownerOrganisation } = options;
  const source = await sourceOf(record);
  try {
    const report = { source, interaction: 'update', mayAsk: true } as const;
    const placed = await completeReport?.(database, principal, report);
    if (placed !== undefined) return { rule: ruleOf('report', true, 'report_completed'), access: placed.access };
    ownerOrganisation(source.resource, principal);
    return { rule: undefined, access: undefined };
  } catch (error) {
    return { rule: refusal(error, 'report', 'report_refused'), access: undefined };
  }
}

/** The stored content as a client would send it; nothing is written, so that no member's place is needed. */
async function sourceOf({ content, resourceType }: StoredVersion): Promise<ResourceText> {
  const resource = await parseInSlices(content);
  if (!isJsonObject(resource)) throw new TypeError('A stored resource is a JSON object');
  return { text: content, resourceType, resource, members: [] };
}

/** Of what patients and providers reported, whether the caller may change it all the same. */
function keptRule(access: Access, record: StoredVersion): DecidingRule | undefined {
  try {
    requireNoReport(access(record.resourceType), record);
    return undefined;
  } catch (error) {
    return refusal(error, 'report', 'report_kept');
  }
}

async function refusedOr(rule: () => DecidingRule | Promise<DecidingRule>): Promise<DecidingRule> {
  try {
    return await rule();
  } catch (error) {
    return refusal(error, 'record', 'record_hidden');
  }
}

/** The rule of a refusal by the service. @throws what is no refusal, such as `upstream_unavailable` */
function refusal(
  error: unknown,
  rule: DecidingRule['rule'],
  reason: 'report_refused' | 'report_kept' | 'record_hidden',
): DecidingRule {
  if (!(error instanceof ServiceError) || error.status >= FIRST_OF_SERVER) throw error;
  return ruleOf(rule, false, reason, { message: error.message });
}

const FIRST_OF_SERVER = 500;
