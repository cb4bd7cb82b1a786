// The permissions on FHIR types (decisions G7, G12, E8), as tables independent of the code. They have the kind of each
// type, the right that each kind of address needs, and who has it. An unknown type or kind of address fails, because it
// needs a decision.
const DEFINITIONS = `ActivityDefinition ActorDefinition AdministrableProductDefinition CapabilityStatement ChargeItemDefinition Citation
  ClinicalUseDefinition CodeSystem CompartmentDefinition ConceptMap ConditionDefinition DeviceDefinition Endpoint EventDefinition Evidence
  EvidenceReport EvidenceVariable ExampleScenario FormularyItem GraphDefinition HealthcareService ImplementationGuide Ingredient
  InsurancePlan Library Location ManufacturedItemDefinition Measure MedicationKnowledge MedicinalProductDefinition MessageDefinition
  NamingSystem ObservationDefinition OperationDefinition Organization OrganizationAffiliation PackagedProductDefinition PlanDefinition
  Practitioner PractitionerRole Questionnaire RegulatedAuthorization Requirements SearchParameter SpecimenDefinition StructureDefinition
  StructureMap SubscriptionTopic SubstanceDefinition SubstanceNucleicAcid SubstancePolymer SubstanceProtein
  SubstanceReferenceInformation SubstanceSourceMaterial TerminologyCapabilities TestPlan TestScript ValueSet`;
/** What patients report, too. */
const REPORTED = 'Observation QuestionnaireResponse';
const OBSERVED = 'DiagnosticReport';
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

export type Kind = 'definition' | 'plan' | 'record' | 'observed' | 'reported' | 'audit';
/**
 * The right is a permission of the type; for a key it is the letter of a scope. `operate` needs any right in FHIR.
 */
export interface Right {
  readonly permission: 'read' | 'write' | 'operate';
  readonly scope?: 'c' | 'r' | 'u' | 'd' | 's';
}

const PLANS = new Set(['ActivityDefinition', 'PlanDefinition', 'Questionnaire', 'ValueSet']);
const listed = (text: string, kind: Kind) => text.split(/\s+/).map((type): [string, Kind] => [type, kind]);

export const KIND_OF: ReadonlyMap<string, Kind> = new Map([
  ...listed(DEFINITIONS, 'definition').map(([type, kind]): [string, Kind] => [type, PLANS.has(type) ? 'plan' : kind]),
  ...listed(OBSERVED, 'observed'),
  ...listed(REPORTED, 'reported'),
  ...listed(RECORDS, 'record'),
  ['AuditEvent', 'audit'],
]);

/** Of the types that are alike, so many are asked about by every caller. */
const BY_ALL = 2;
/** Of the others, each question is asked by one caller of so many, in turn. */
const BY_ONE_OF = 4;
const SINGULAR = new Set(['Patient', 'Substance', 'Bundle', 'Binary', 'CodeSystem', 'Organization', 'SearchParameter']);

/**
 * The callers that a matrix asks for, of the `index`-th question about the type. Types of one kind share routes and
 * rules (docs/adr/0094). So two of each kind, and those with rules of their own, are requested by all. About the others
 * each question is asked by a part of the callers, which changes from question to question. With `KEDJA_MATRIX=all`
 * everything is asked by all.
 */
export function callersFor<Caller>(callers: readonly Caller[], type: string, index: number): readonly Caller[] {
  const kind = KIND_OF.get(type);
  const alike = [...KIND_OF].filter(([, each]) => each === kind).map(([name]) => name);
  const position = alike.indexOf(type);
  const isByAll = SINGULAR.has(type) || PLANS.has(type) || position < BY_ALL;
  if (isByAll || process.env['KEDJA_MATRIX'] === 'all') return callers;
  // Scattered by Fibonacci hashing: otherwise one kind of address could have the same callers at every type.
  const start = (Math.imul(index + 1, 0x9e3779b1) >>> 16) + position;
  return callers.filter((_, place) => (place + start) % BY_ONE_OF === 0);
}

const READ = { permission: 'read', scope: 'r' } as const;
const SEARCH = { permission: 'read', scope: 's' } as const;
const UPDATE = { permission: 'write', scope: 'u' } as const;
const DELETE = { permission: 'write', scope: 'd' } as const;
const OPERATE = { permission: 'operate' } as const;

/**
 * Below the address of a type, ids as `{}`. Operations of terminology and of parameters need the same right as a read.
 */
const RIGHTS: Readonly<Record<string, Right>> = {
  'GET ': SEARCH,
  'POST /_search': SEARCH,
  'GET /_history': SEARCH,
  'GET /{}': READ,
  'GET /{}/_history': READ,
  'GET /{}/_history/{}': READ,
  'POST ': { permission: 'write', scope: 'c' },
  'PUT ': UPDATE,
  'PUT /{}': UPDATE,
  'PATCH ': UPDATE,
  'PATCH /{}': UPDATE,
  'DELETE ': DELETE,
  'DELETE /{}': DELETE,
  'GET /{}/$meta': READ,
  'POST /{}/$meta-add': UPDATE,
  'POST /{}/$meta-delete': UPDATE,
  'POST /$validate': OPERATE,
  'GET /{}/$validate': OPERATE,
  'POST /{}/$validate': OPERATE,
  'GET /$snapshot': OPERATE,
  'POST /$snapshot': OPERATE,
  'GET /{}/$snapshot': OPERATE,
  'POST /{}/$snapshot': OPERATE,
  'GET /{}/*': OPERATE,
  'POST /{}/*/_search': OPERATE,
};
const AS_READ =
  /^(GET|POST) (\/\{\})?\/\$(everything|lookup|subsumes|find-matches|expand|related|translate|validate-code|batch-validate-code|status)$/;

/** An address of the OpenAPI document below a type. */
export interface TypeAddress {
  readonly method: string;
  readonly type: string;
  /** `/{id}/_history`; empty for the type itself. */
  readonly rest: string;
}

/** Undefined for a kind of address that the tables do not know. */
export function rightOf({ method, rest }: TypeAddress): Right | undefined {
  const kind = `${method} ${rest.replaceAll(/\{\w+\}/g, '{}')}`;
  return RIGHTS[kind] ?? (AS_READ.test(kind) ? READ : undefined);
}
