// Random resources of several types that refer to each other, with every element that their search parameters ask for.
import fc from 'fast-check';
import {
  address,
  concept,
  date,
  dateTime,
  decimal,
  few,
  humanName,
  identifier,
  meta,
  moment,
  period,
  phrase,
  plainQuantity,
  quantity,
  range,
  type Shape,
  some,
  telecom,
  timing,
  url,
} from './elements.ts';
import type { Json } from './parameters.ts';

/** How many resources of each type there are. */
const COUNTS: Readonly<Record<string, number>> = {
  Patient: 24,
  Practitioner: 6,
  Organization: 8,
  Encounter: 16,
  Observation: 60,
  Condition: 16,
  CarePlan: 14,
  ServiceRequest: 20,
  PlanDefinition: 10,
  RiskAssessment: 12,
  QuestionnaireResponse: 12,
  Appointment: 12,
  Group: 8,
};

export const TYPES = Object.keys(COUNTS);

/** The ids that there are: short ones, guids and such as have every sign that an id may have. */
export function idsOf(type: string): string[] {
  const letter = type.slice(0, 2).toLowerCase();
  return Array.from({ length: COUNTS[type] ?? 0 }, (_, index) => {
    if (index % 4 === 3)
      return `019a0000-0000-7000-8000-${TYPES.indexOf(type)}${String(index).padStart(12 - String(TYPES.indexOf(type)).length, '0')}`;
    return index % 4 === 2 ? `${letter}.${index}-X` : `${letter}${index}`;
  });
}

/** A reference to one of the types: here, gone, elsewhere, versioned, by identifier or by display alone. */
function reference(...types: readonly string[]): fc.Arbitrary<Json> {
  const literal = fc.constantFrom(...types.flatMap((type) => idsOf(type).map((id) => `${type}/${id}`)));
  const [first = ''] = types;
  return fc.oneof(
    { weight: 12, arbitrary: literal.map((text) => ({ reference: text })) },
    { weight: 2, arbitrary: fc.tuple(literal, phrase).map(([text, display]) => ({ reference: text, display })) },
    { weight: 1, arbitrary: literal.map((text) => ({ reference: `${text}/_history/1` })) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        { reference: `${first}/gone` },
        { reference: `https://other.example.org/fhir/${first}/1` },
      ),
    },
    { weight: 1, arbitrary: fc.constant({ reference: 'urn:uuid:5a1b0a1e-0000-4000-8000-000000000001', type: first }) },
    { weight: 1, arbitrary: some({ identifier, display: phrase, type: fc.constant(first) }, ['identifier']) },
    { weight: 1, arbitrary: phrase.map((display) => ({ display })) },
  );
}

/** `value` of one of several types: one member whose name ends in the type. */
function oneOf(name: string, kinds: Shape): fc.Arbitrary<Json> {
  return fc.oneof(
    fc.constant({}),
    ...Object.entries(kinds).map(([kind, value]) => value.map((each) => ({ [`${name}${kind}`]: each }))),
  );
}

const patient = reference('Patient');
const subject = reference('Patient', 'Group');
const encounter = reference('Encounter');
const staff = reference('Practitioner', 'Organization');
const code = (...codes: readonly string[]) => fc.constantFrom(...codes);

function codeable(...types: readonly string[]): fc.Arbitrary<Json> {
  return fc.oneof(
    concept.map((each) => ({ concept: each })),
    reference(...types).map((each) => ({ reference: each })),
  );
}

const SHAPES: Readonly<Record<string, fc.Arbitrary<Json>>> = {
  Patient: joined(
    some({
      active: fc.boolean(),
      gender: code('male', 'female', 'other'),
      birthDate: date,
      identifier: few(identifier),
      name: few(humanName),
      telecom: few(telecom),
      address: few(address, 2),
      generalPractitioner: few(staff, 2),
      managingOrganization: reference('Organization'),
      communication: few(some({ language: concept }, ['language']), 2),
      link: few(some({ other: patient, type: fc.constant('seealso') }, ['other', 'type']), 1),
    }),
    oneOf('deceased', { Boolean: fc.boolean(), DateTime: dateTime }),
  ),
  Practitioner: some({
    active: fc.boolean(),
    identifier: few(identifier),
    name: few(humanName, 2),
    telecom: few(telecom),
    address: few(address, 1),
    gender: code('male', 'female'),
  }),
  Organization: some({
    active: fc.boolean(),
    name: phrase,
    alias: few(phrase, 2),
    type: few(concept, 2),
    identifier: few(identifier, 2),
    partOf: reference('Organization'),
  }),
  Encounter: some(
    {
      status: code('planned', 'in-progress', 'completed'),
      class: few(concept, 2),
      type: few(concept, 1),
      subject,
      identifier: few(identifier, 1),
      actualPeriod: period,
      length: plainQuantity,
      partOf: encounter,
      serviceProvider: reference('Organization'),
      participant: few(some({ actor: reference('Practitioner', 'Patient'), type: few(concept, 1) }), 2),
      reason: few(some({ value: few(codeable('Condition', 'Observation'), 2) }), 2),
    },
    ['status'],
  ),
  Observation: joined(
    some(
      {
        status: code('final', 'preliminary', 'amended'),
        code: concept,
        category: few(concept, 2),
        subject,
        encounter,
        identifier: few(identifier, 1),
        performer: few(staff, 2),
        basedOn: few(reference('ServiceRequest', 'CarePlan'), 2),
        hasMember: few(reference('Observation'), 2),
        derivedFrom: few(reference('Observation', 'QuestionnaireResponse'), 1),
        method: concept,
        component: few(
          joined(
            some({ code: concept }, ['code']),
            oneOf('value', { Quantity: quantity, CodeableConcept: concept, String: phrase }),
          ),
          3,
        ),
      },
      ['status', 'code'],
    ),
    oneOf('effective', { DateTime: dateTime, Period: period, Timing: timing, Instant: moment }),
    oneOf('value', {
      Quantity: quantity,
      CodeableConcept: concept,
      String: phrase,
      DateTime: dateTime,
      Period: period,
    }),
  ),
  Condition: joined(
    some(
      {
        clinicalStatus: concept,
        severity: concept,
        category: few(concept, 2),
        code: concept,
        subject,
        encounter,
        recordedDate: dateTime,
        evidence: few(codeable('Observation'), 2),
      },
      ['clinicalStatus', 'subject'],
    ),
    oneOf('onset', { DateTime: dateTime, Period: period, Age: plainQuantity, Range: range, String: phrase }),
    oneOf('abatement', { DateTime: dateTime, Age: plainQuantity, String: phrase }),
  ),
  CarePlan: some(
    {
      status: code('draft', 'active', 'revoked'),
      intent: code('plan', 'order'),
      subject,
      encounter,
      period,
      category: few(concept, 2),
      instantiatesCanonical: few(
        fc.oneof(
          url,
          url.map((text) => `${text}|1`),
        ),
        2,
      ),
      instantiatesUri: few(url, 2),
      basedOn: few(reference('CarePlan', 'ServiceRequest'), 2),
      partOf: few(reference('CarePlan'), 1),
      custodian: staff,
      addresses: few(codeable('Condition'), 2),
    },
    ['status', 'intent', 'subject'],
  ),
  ServiceRequest: joined(
    some(
      {
        status: code('draft', 'active', 'completed'),
        intent: code('order', 'plan'),
        priority: code('routine', 'urgent'),
        code: codeable('PlanDefinition'),
        category: few(concept, 2),
        subject,
        encounter,
        authoredOn: dateTime,
        requester: staff,
        performer: few(staff, 2),
        performerType: concept,
        requisition: identifier,
        basedOn: few(reference('CarePlan', 'ServiceRequest'), 2),
        instantiatesCanonical: few(url, 1),
      },
      ['status', 'intent', 'subject'],
    ),
    oneOf('occurrence', { DateTime: dateTime, Period: period, Timing: timing }),
  ),
  PlanDefinition: some(
    {
      url,
      version: code('1', '2'),
      status: code('draft', 'active'),
      name: phrase,
      title: phrase,
      description: phrase,
      publisher: phrase,
      date: dateTime,
      effectivePeriod: period,
      topic: few(concept, 2),
      library: few(url, 1),
      relatedArtifact: few(
        some({ type: code('depends-on', 'composed-of', 'derived-from'), resource: url }, ['type', 'resource']),
        3,
      ),
      useContext: few(
        joined(
          some({ code: concept.map((each) => ({ code: 'x', ...firstCoding(each) })) }, ['code']),
          oneOf('value', { CodeableConcept: concept, Quantity: quantity, Range: range }),
        ),
        3,
      ),
    },
    ['status'],
  ),
  RiskAssessment: joined(
    some(
      {
        status: code('final', 'amended'),
        subject,
        encounter,
        performer: reference('Practitioner', 'Patient'),
        method: concept,
        prediction: few(
          joined(some({ qualitativeRisk: concept }), oneOf('probability', { Decimal: decimal, Range: range })),
          3,
        ),
      },
      ['status', 'subject'],
    ),
    oneOf('occurrence', { DateTime: dateTime, Period: period }),
  ),
  QuestionnaireResponse: some(
    {
      status: code('completed', 'in-progress'),
      questionnaire: fc.oneof(
        url,
        url.map((text) => `${text}|2`),
      ),
      subject: reference('Patient', 'Group', 'Practitioner'),
      encounter,
      authored: dateTime,
      author: reference('Patient', 'Practitioner'),
      source: patient,
      basedOn: few(reference('CarePlan', 'ServiceRequest'), 1),
      partOf: few(reference('Observation'), 1),
    },
    ['status', 'questionnaire'],
  ),
  Appointment: some(
    {
      status: code('booked', 'proposed'),
      start: moment,
      requestedPeriod: few(period, 2),
      subject,
      serviceType: few(
        concept.map((each) => ({ concept: each })),
        2,
      ),
      appointmentType: concept,
      participant: few(
        some({ actor: reference('Patient', 'Practitioner', 'Group'), status: code('accepted', 'declined') }, [
          'status',
        ]),
        3,
      ),
    },
    ['status', 'participant'],
  ),
  Group: some(
    {
      type: code('person', 'practitioner'),
      membership: code('definitional', 'enumerated'),
      name: phrase,
      code: concept,
      identifier: few(identifier, 1),
      managingEntity: staff,
      member: few(some({ entity: reference('Patient', 'Practitioner') }, ['entity']), 4),
      characteristic: few(
        joined(
          some({ code: concept, exclude: fc.boolean() }, ['code', 'exclude']),
          oneOf('value', { CodeableConcept: concept, Boolean: fc.boolean(), Reference: reference('Organization') }),
        ),
        3,
      ),
    },
    ['type', 'membership'],
  ),
};

function firstCoding({ coding }: Record<string, unknown>): object {
  const [first = {}] = Array.isArray(coding) ? coding : [];
  return first;
}

/** The members of all together. */
function joined(...parts: readonly fc.Arbitrary<Json>[]): fc.Arbitrary<Json> {
  return fc.tuple(...parts).map((each) => Object.assign({}, ...each));
}

const ORGANISATIONS = ['019a0000-0000-7000-8000-00000000000a', '019a0000-0000-7000-8000-00000000000b', null];

export interface Made {
  readonly resource: Json;
  readonly organisation: string | null;
}

/** All resources of one seed. */
export function makeResources(seed: number): Made[] {
  return TYPES.flatMap((type, index) => {
    const ids = idsOf(type);
    const shape = SHAPES[type] ?? fc.constant({});
    const made = fc.tuple(shape, fc.option(meta), fc.constantFrom(...ORGANISATIONS));
    return fc.sample(made, { seed: seed + index, numRuns: ids.length }).map(([body, about, organisation], number) => ({
      resource: { resourceType: type, id: ids[number], ...(about === null ? {} : { meta: about }), ...body },
      organisation,
    }));
  });
}
