// Who may ask what of the engine's FHIR addresses (decisions G7, G12, E8): every address of its OpenAPI document with every kind of caller. What the tables
// below do not know fails: a new type or a new kind of address is a decision.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startEngineContract, UNKNOWN } from '#test/support/engine-contract.ts';

const { ask, app, signUp } = await startEngineContract({ after });
const provider = (await ask('POST /providers', { as: 'admin', body: { name: 'P', region: 'R' } })).body.provider_guid;
const makeKey = async (body: object): Promise<string> =>
  (await ask('POST /api-keys', { as: 'admin', body: { name: 'K', ...body } })).body.key;

const CALLERS: Readonly<Record<string, string | undefined>> = {
  nobody: undefined,
  expired: 'a-token-that-nobody-has',
  suAdmin: 'admin',
  planner: 'planner',
  idle: 'idle',
  patient: 'patient',
  clinician: (await signUp('clinician')).token,
  reader: (await signUp('reader')).token,
  key: await makeKey({ scopes: ['system/*.cruds'] }),
  looker: await makeKey({ scopes: ['system/*.rs'] }),
  ofOneType: await makeKey({ scopes: ['system/Substance.cruds'] }),
  providerKey: await makeKey({ provider_guid: provider }),
};
const UNKNOWN_CALLERS = ['nobody', 'expired'];
const WRITERS = ['suAdmin', 'planner', 'clinician', 'key'];
const STAFF = ['suAdmin', 'planner', 'idle', 'clinician', 'reader', 'key', 'looker'];

/** What a type is, with who reads and writes it. */
const KINDS = {
  definition: { read: STAFF, write: WRITERS },
  record: { read: [...STAFF, 'patient'], write: WRITERS },
  observed: { read: [...STAFF.filter((caller) => caller !== 'idle'), 'patient'], write: WRITERS },
} as const;

const DEFINITIONS = `ActivityDefinition ActorDefinition AdministrableProductDefinition CapabilityStatement ChargeItemDefinition Citation
  ClinicalUseDefinition CodeSystem CompartmentDefinition ConceptMap ConditionDefinition DeviceDefinition Endpoint EventDefinition Evidence
  EvidenceReport EvidenceVariable ExampleScenario FormularyItem GraphDefinition HealthcareService ImplementationGuide Ingredient
  InsurancePlan Library Location ManufacturedItemDefinition Measure MedicationKnowledge MedicinalProductDefinition MessageDefinition
  NamingSystem ObservationDefinition OperationDefinition Organization OrganizationAffiliation PackagedProductDefinition PlanDefinition
  Practitioner PractitionerRole Questionnaire RegulatedAuthorization Requirements SearchParameter SpecimenDefinition StructureDefinition
  StructureMap SubscriptionTopic SubstanceDefinition SubstanceNucleicAcid SubstancePolymer SubstanceProtein
  SubstanceReferenceInformation SubstanceSourceMaterial TerminologyCapabilities TestPlan TestScript ValueSet`;
const OBSERVED = 'Observation QuestionnaireResponse DiagnosticReport';
const RECORDS = `Account AdverseEvent AllergyIntolerance Appointment AppointmentResponse ArtifactAssessment Basic Binary
  BiologicallyDerivedProduct BiologicallyDerivedProductDispense BodyStructure Bundle CarePlan CareTeam ChargeItem Claim ClaimResponse
  ClinicalImpression Communication CommunicationRequest Composition Condition Consent Contract Coverage CoverageEligibilityRequest
  CoverageEligibilityResponse DetectedIssue Device DeviceAssociation DeviceDispense DeviceMetric DeviceRequest DeviceUsage
  DocumentReference Encounter EncounterHistory EnrollmentRequest EnrollmentResponse EpisodeOfCare ExplanationOfBenefit
  FamilyMemberHistory Flag GenomicStudy Goal Group GuidanceResponse ImagingSelection ImagingStudy Immunization ImmunizationEvaluation
  ImmunizationRecommendation InventoryItem InventoryReport Invoice Linkage List MeasureReport Medication MedicationAdministration
  MedicationDispense MedicationRequest MedicationStatement MessageHeader MolecularSequence NutritionIntake NutritionOrder
  NutritionProduct OperationOutcome Patient PaymentNotice PaymentReconciliation Permission Person Procedure Provenance
  RelatedPerson RequestOrchestration ResearchStudy ResearchSubject RiskAssessment Schedule ServiceRequest Slot Specimen Subscription
  SubscriptionStatus Substance SupplyDelivery SupplyRequest Task TestReport Transport VerificationResult VisionPrescription`;

const listed = (text: string, kind: keyof typeof KINDS) => text.split(/\s+/).map((type) => [type, kind] as const);
const KIND_OF: ReadonlyMap<string, keyof typeof KINDS> = new Map([
  ...listed(DEFINITIONS, 'definition'),
  ...listed(OBSERVED, 'observed'),
  ...listed(RECORDS, 'record'),
]);

/** What of a type's addresses everybody is judged by the right to read, or to write. */
const RIGHT_OF: Readonly<Record<string, 'read' | 'write'>> = {
  'GET /': 'read',
  'GET /{id}': 'read',
  'POST /': 'write',
  'PUT /{id}': 'write',
  'DELETE /{id}': 'write',
};
/** Further kinds of addresses, that are judged by the same rights; nobody without credentials gets past them. */
const FURTHER =
  /^(GET|POST|PUT|PATCH|DELETE) \/(\{\w+\}(\/(_history(\/\{\w+\})?|\$[\w-]+|\*(\/_search)?|\{\w+\}(\/_search)?))?|_history|_search|\$[\w-]+)?$/;
const AUDIT = 'AuditEvent';

interface Address {
  readonly method: string;
  readonly type: string;
  readonly rest: string;
}

const { paths } = (await app.inject('/openapi.json')).json() as { paths: Record<string, object> };
const ADDRESSES: readonly Address[] = Object.entries(paths).flatMap(([path, methods]) => {
  const [, type = '', rest = ''] = /^\/api\/v1\/([A-Z]\w+)(\/.*)?$/.exec(path) ?? [];
  if (type === '') return [];
  return Object.keys(methods).map((method) => ({ method: method.toUpperCase(), type, rest: rest === '' ? '/' : rest }));
});

async function statusOf({ method, type, rest }: Address, caller: string): Promise<number> {
  const path = `/${type}${rest === '/' ? '' : rest.replaceAll(/\{\w+\}/g, UNKNOWN)}`;
  const body = ['POST', 'PUT', 'PATCH'].includes(method) ? {} : undefined;
  return (await ask(`${method} ${path}`, { as: CALLERS[caller], body })).status;
}

test('every address is of a type and a kind that the tables know', () => {
  const types = new Set(ADDRESSES.map(({ type }) => type));
  assert.deepEqual(
    [...types].filter((type) => !KIND_OF.has(type) && type !== AUDIT),
    [],
  );
  assert.deepEqual(
    [...KIND_OF.keys()].filter((type) => !types.has(type)),
    [],
  );
  const unknown = ADDRESSES.filter(({ method, rest }) => !FURTHER.test(`${method} ${rest}`));
  assert.deepEqual(
    unknown.map(({ method, type, rest }) => `${method} ${type}${rest}`),
    [],
  );
});

test('reading and writing each type is for whom the table says', async () => {
  for (const address of ADDRESSES) {
    const { method, type, rest } = address;
    const right = RIGHT_OF[`${method} ${rest.replace(/\{\w+\}/, '{id}')}`];
    const kind = KIND_OF.get(type);
    if (right === undefined || kind === undefined) continue;
    const allowed = KINDS[kind][right];
    const wrong = await Promise.all(
      Object.keys(CALLERS).map(async (caller) => {
        const status = await statusOf(address, caller);
        const isIn = status !== 401 && status !== 403;
        const may = allowed.some((each) => each === caller) || (caller === 'ofOneType' && type === 'Substance');
        const expected = UNKNOWN_CALLERS.includes(caller) ? status === 401 : may === isIn;
        return expected && status < 500 ? [] : [`${caller}: ${status}`];
      }),
    );
    assert.deepEqual(wrong.flat(), [], `${method} ${type}${rest}`);
  }
});

test('nothing else of FHIR is answered without credentials', async () => {
  const further = ADDRESSES.filter(({ method, rest }) => RIGHT_OF[`${method} ${rest}`] === undefined);
  for (let start = 0; start < further.length; start += 50) {
    const some = further.slice(start, start + 50);
    const statuses = await Promise.all(some.map((address) => statusOf(address, 'nobody')));
    assert.deepEqual(
      some.filter((_, place) => statuses[place] !== 401).map(({ method, type, rest }) => `${method} ${type}${rest}`),
      [],
    );
  }
});
