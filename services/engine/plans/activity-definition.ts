// Builds the R5 ActivityDefinition of an activity. It has one ObservationDefinition for each transaction and one
// ValueSet for each concept with permitted values (decision E7; hl7.org/fhir/R5/activitydefinition.html,
// observationdefinition.html).
import type { ResolvedActivity, ResolvedConcept, ResolvedTransaction, ResolvedUnit } from './resolved.ts';

export const UCUM = 'http://unitsofmeasure.org';
const EXTENSION = 'https://kedja.dev/fhir/StructureDefinition/';

type Resource = Readonly<Record<string, unknown>>;

/**
 * The parts of an activity. The caller contains `observations` and `valueSets` in the definition or beside it. Their
 * ids are those that the definition references.
 */
export interface ActivityParts {
  readonly definition: Resource;
  readonly observations: readonly Resource[];
  readonly valueSets: readonly Resource[];
}

/** The counters for ids of contained resources, so that the ids of several activities in one plan differ. */
export interface Numbering {
  activity: number;
  transaction: number;
  values: number;
}

export function startNumbering(): Numbering {
  return { activity: 0, transaction: 0, values: 0 };
}

export function buildActivityParts(activity: ResolvedActivity, numbering: Numbering): ActivityParts {
  numbering.activity += 1;
  const built = activity.transactions.map((transaction) => buildTransaction(transaction, numbering));
  const requirements = built.map(({ observation }) => `#${String(observation['id'])}`);
  const timing = sharedTiming(activity.transactions);
  return {
    definition: {
      resourceType: 'ActivityDefinition',
      id: `activity-${numbering.activity}`,
      identifier: [{ system: 'https://kedja.dev/ids/activity', value: activity.guid }],
      version: String(activity.version),
      title: activity.name,
      status: activity.status,
      ...(activity.description === null ? {} : { description: activity.description }),
      kind: 'ServiceRequest',
      code: codeableConcept(activity.concept),
      intent: 'plan',
      ...(timing === undefined ? {} : { timingTiming: timing }),
      ...(requirements.length === 0 ? {} : { observationResultRequirement: requirements }),
    },
    observations: built.map(({ observation }) => observation),
    valueSets: built.flatMap(({ valueSet }) => (valueSet === undefined ? [] : [valueSet])),
  };
}

/** Builds the activity as a separate resource. `url` is its canonical url. */
export function buildActivityDefinition(activity: ResolvedActivity, url: string): Resource {
  const { definition, observations, valueSets } = buildActivityParts(activity, startNumbering());
  const contained = [...observations, ...valueSets];
  const { resourceType, id: _contained, ...rest } = definition;
  return {
    resourceType,
    id: activity.guid,
    ...(contained.length === 0 ? {} : { contained }),
    url,
    ...rest,
    date: activity.updatedAt,
  };
}

export function codeableConcept(concept: ResolvedConcept): object {
  const { system, version, code, display } = concept;
  return { coding: [{ system, ...(version === null ? {} : { version }), code, display }], text: display };
}

export function quantity(value: number, unit: ResolvedUnit | null): object {
  return unit === null ? { value } : { value, unit: unit.name, system: UCUM, code: unit.ucumCode };
}

function buildTransaction(
  transaction: ResolvedTransaction,
  numbering: Numbering,
): { observation: Resource; valueSet: Resource | undefined } {
  numbering.transaction += 1;
  const { concept, fhirType, unit, timing } = transaction;
  const valueSet = fhirType === 'CodeableConcept' ? buildValueSet(concept, numbering) : undefined;
  const extension = [
    { url: `${EXTENSION}transaction-required`, valueBoolean: transaction.required },
    ...(timing === null ? [] : [{ url: `${EXTENSION}transaction-timing`, valueTiming: { repeat: timing } }]),
  ];
  const observation = {
    resourceType: 'ObservationDefinition',
    id: `transaction-${numbering.transaction}`,
    extension,
    identifier: { system: 'https://kedja.dev/ids/transaction', value: transaction.guid },
    title: transaction.name,
    status: 'active',
    code: codeableConcept(concept),
    ...(fhirType === null ? {} : { permittedDataType: [fhirType] }),
    ...(unit === null ? {} : { permittedUnit: [{ system: UCUM, code: unit.ucumCode, display: unit.name }] }),
    ...(valueSet === undefined ? {} : { qualifiedValue: [{ validCodedValueSet: `#${String(valueSet['id'])}` }] }),
  };
  return { observation, valueSet };
}

/**
 * Builds the permitted values of a concept. Their system is the concept itself, because they have a meaning only for
 * it.
 */
function buildValueSet(concept: ResolvedConcept, numbering: Numbering): Resource | undefined {
  if (concept.values.length === 0) return undefined;
  numbering.values += 1;
  return {
    resourceType: 'ValueSet',
    id: `values-${numbering.values}`,
    title: concept.display,
    status: 'active',
    compose: { include: [{ system: `urn:uuid:${concept.guid}`, concept: concept.values }] },
  };
}

/** Returns the timing of the activity: that of its transactions, if all have the same. */
function sharedTiming(transactions: readonly ResolvedTransaction[]): object | undefined {
  const [first, ...others] = transactions.map(({ timing }) => JSON.stringify(timing));
  const timing = transactions[0]?.timing;
  if (timing == null || others.some((other) => other !== first)) return undefined;
  return { repeat: timing };
}
