// The editable snapshot of a draft (decision D2): its wire shape, and its mapping to the FHIR ServiceRequest.
import Type, { type Static } from 'typebox';
import { parseExactJson } from '#fhir/json/exact-json.ts';
import { compact, textIn } from '#fhir/json/members.ts';
import { type FhirObject, isObject, objectOf, objectsOf, omit } from '#fhir/json/objects.ts';
import { actionsOf, containedIn, resolvePlan } from '#fhir/plans/plan-snapshot.ts';
import { parseWritten } from '#fhir/resources/resource-text.ts';
import { isError } from '#fhir/validation/issue-list.ts';
import { validateResource } from '#fhir/validation/validate.ts';
import { type Issue, messageOf, ServiceError, shownIssues } from '#lib/errors.ts';

const JsonObject = Type.Object({}, { additionalProperties: true });

export const SnapshotBody = Type.Object(
  {
    plan_definition: Type.Optional(
      Type.Object({}, { additionalProperties: true, description: 'The editable copy of the PlanDefinition' }),
    ),
    note: Type.Optional(
      Type.String({ minLength: 1, maxLength: 10_000, description: 'For the provider who performs it' }),
    ),
    priority: Type.Optional(Type.Enum(['routine', 'urgent', 'asap', 'stat'])),
    occurrence: Type.Optional(
      Type.Union([Type.String(), JsonObject], {
        description: 'When: a FHIR dateTime, a Period ({start, end}) or a Timing ({repeat, event, code})',
      }),
    ),
  },
  { additionalProperties: false },
);
type SnapshotWire = Static<typeof SnapshotBody>;

/** A snapshot whose numbers keep their digits. */
export interface Snapshot extends Omit<SnapshotWire, 'plan_definition'> {
  readonly plan_definition?: FhirObject;
}

/** Reads a snapshot, stored or sent by a client. */
export function parseSnapshot(text: string): Snapshot {
  const parsed = parseExactJson(text);
  return isObject(parsed) ? parsed : {};
}

const OCCURRENCES = ['occurrenceDateTime', 'occurrencePeriod', 'occurrenceTiming'];

/** Sets the elements of the snapshot in the ServiceRequest; keeps the others. */
export function applySnapshot(resource: FhirObject, snapshot: Snapshot, previous?: Snapshot): FhirObject {
  const hasOwnCode = resource['code'] !== undefined && !isDerivedCode(resource['code'], previous);
  return {
    ...omit(resource, 'priority', 'note', 'instantiatesCanonical', ...(hasOwnCode ? [] : ['code']), ...OCCURRENCES),
    ...compact({
      instantiatesCanonical: canonicalsOf(snapshot.plan_definition),
      priority: snapshot.priority,
      note: snapshot.note === undefined ? undefined : [{ text: snapshot.note }],
      ...(hasOwnCode ? {} : { code: codeOf(snapshot.plan_definition) }),
    }),
    ...occurrenceMember(snapshot.occurrence),
  };
}

/** Reads the snapshot's elements out of a ServiceRequest. */
export function snapshotOf(resource: FhirObject, planDefinition: FhirObject | undefined): Snapshot {
  const notes = objectsOf(resource['note']).flatMap((note) => textIn(note['text']) ?? []);
  const occurrence = OCCURRENCES.map((name) => resource[name]).find((value) => value !== undefined);
  const priority = ['routine', 'urgent', 'asap', 'stat'].find((value) => value === resource['priority']);
  return {
    ...(planDefinition === undefined ? {} : { plan_definition: planDefinition }),
    ...(notes.length === 0 ? {} : { note: notes.join('\n\n') }),
    ...(isPriority(priority) ? { priority } : {}),
    ...(typeof occurrence === 'string' || isObject(occurrence) ? { occurrence } : {}),
  };
}

/** @throws ServiceError `unprocessable` with every issue */
export function requireValidSnapshot(text: string): void {
  const issues = snapshotIssues(text);
  if (issues.length === 0) return;
  throw new ServiceError('unprocessable', messageOf(issues), { issues: shownIssues(issues) });
}

/** The errors of the plan and of the time in the JSON text of a snapshot. */
export function snapshotIssues(text: string): Issue[] {
  const snapshot = parseWritten(text);
  const plan = objectOf(snapshot['plan_definition']);
  return [...(plan === undefined ? [] : planIssues(plan)), ...occurrenceIssues(snapshot['occurrence'])];
}

function planIssues(plan: FhirObject): Issue[] {
  return validateResource(plan, { resourceType: 'PlanDefinition' })
    .filter(isError)
    .concat(danglingActivities(plan))
    .map((issue) => ({ ...issue, message: `plan_definition: ${issue.message}` }));
}

/** What FHIR says of the time in the ServiceRequest that is made of it. */
function occurrenceIssues(occurrence: unknown): Issue[] {
  if (typeof occurrence !== 'string' && !isObject(occurrence)) return [];
  const resource = { resourceType: 'ServiceRequest', ...occurrenceMember(occurrence) };
  return validateResource(resource, { resourceType: 'ServiceRequest' })
    .filter(isError)
    .filter(({ field }) => field?.startsWith('ServiceRequest.occurrence'));
}

function danglingActivities(plan: FhirObject): Issue[] {
  const contained = containedIn(plan);
  return actionsOf(plan).flatMap((action) => {
    const address = textIn(action['definitionCanonical']);
    if (address?.startsWith('#') !== true || contained(address) !== undefined) return [];
    const message = `the action names ${address}, which the plan does not contain`;
    return [{ message, field: 'PlanDefinition.action', code: 'not-found' }];
  });
}

function canonicalsOf(plan: FhirObject | undefined): string[] | undefined {
  const url = textIn(plan?.['url']);
  if (url === undefined) return undefined;
  const version = textIn(plan?.['version']);
  return [version === undefined ? url : `${url}|${version}`];
}

/** The code of the request: the plan's title and, if the plan is about one concept alone, that concept. */
function codeOf(plan: FhirObject | undefined): FhirObject | undefined {
  if (plan === undefined) return undefined;
  const { activities } = resolvePlan(plan);
  const codes = activities.flatMap(({ concept }) => (concept?.code === undefined ? [] : [concept]));
  const text = textIn(plan['title']) ?? textIn(plan['name']) ?? activities[0]?.title;
  const concept = compact({ coding: codes.length === 1 ? codes : undefined, text });
  return Object.keys(concept).length === 0 ? undefined : { concept };
}

function isDerivedCode(code: unknown, snapshot: Snapshot | undefined): boolean {
  return snapshot !== undefined && JSON.stringify(code) === JSON.stringify(codeOf(snapshot.plan_definition));
}

function occurrenceMember(occurrence: Snapshot['occurrence']): FhirObject {
  if (occurrence === undefined) return {};
  if (typeof occurrence === 'string') return { occurrenceDateTime: occurrence };
  const isPeriod = 'start' in occurrence || 'end' in occurrence;
  return isPeriod ? { occurrencePeriod: occurrence } : { occurrenceTiming: occurrence };
}

function isPriority(value: string | undefined): value is NonNullable<Snapshot['priority']> {
  return value !== undefined;
}
