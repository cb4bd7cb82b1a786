// Who may read and write which resource types (decisions G7, G12). Deny by default: what is not listed as knowledge is
// a record about somebody, seen only by those to whom it belongs.

import { r5Definitions } from '#fhir/definitions/definitions.ts';
import type { Interaction, InteractionPermissions } from '#fhir/rest/options.ts';
import type { Access, AccessFilter } from '#fhir/store/access.ts';
import { decide, type Permission } from '#lib/auth/permissions.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { hasScope, type ScopeAction } from '#lib/auth/scopes.ts';
import { dataScopeOf, ownerOrganisation } from '#lib/auth/whose-data.ts';

export interface TypePolicy {
  readonly read: Permission;
  readonly write: Permission;
  /**
   * Of single interactions, in place of the above: what one of Kedja's services makes and nothing else of the type
   * (docs/adr/0044).
   */
  readonly permissions?: InteractionPermissions;
  /** Knowledge and directories are no secret: whoever may read the type sees all of it, and its owner changes it. */
  readonly isOpen: boolean;
}

const KNOWLEDGE = `ActivityDefinition ActorDefinition AdministrableProductDefinition CapabilityStatement ChargeItemDefinition Citation
  ClinicalUseDefinition CodeSystem CompartmentDefinition ConceptMap ConditionDefinition DeviceDefinition EventDefinition Evidence
  EvidenceReport EvidenceVariable ExampleScenario FormularyItem GraphDefinition ImplementationGuide Ingredient InsurancePlan Library
  ManufacturedItemDefinition Measure MedicationKnowledge MedicinalProductDefinition MessageDefinition NamingSystem ObservationDefinition
  OperationDefinition PackagedProductDefinition PlanDefinition Questionnaire RegulatedAuthorization Requirements SearchParameter
  SpecimenDefinition StructureDefinition StructureMap SubscriptionTopic SubstanceDefinition SubstanceNucleicAcid SubstancePolymer
  SubstanceProtein SubstanceReferenceInformation SubstanceSourceMaterial TerminologyCapabilities TestPlan TestScript ValueSet`;
const DIRECTORY =
  'Endpoint HealthcareService Location Organization OrganizationAffiliation Practitioner PractitionerRole';

const OPEN_TYPES = new Set(`${KNOWLEDGE} ${DIRECTORY}`.split(/\s+/));
const OBSERVATION_TYPES = new Set(['Observation', 'QuestionnaireResponse', 'DiagnosticReport']);

const OPEN: TypePolicy = { read: 'definition:read', write: 'definition:write', isOpen: true };
/**
 * What dispatch asks of its plan service (clients/plan-client.ts): plans by their canonical addresses, forms also by
 * their ids, and expansions.
 */
const PLAN: TypePolicy = { ...OPEN, permissions: { 'search-type': 'plan-definition:find' } };
const FORM: TypePolicy = {
  ...OPEN,
  permissions: { 'search-type': 'plan-definition:find', read: 'form-definition:read' },
};
const ASKED_BY_DISPATCH: ReadonlyMap<string, TypePolicy> = new Map([
  ['ActivityDefinition', PLAN],
  ['PlanDefinition', PLAN],
  ['ValueSet', PLAN],
  ['Questionnaire', FORM],
]);
/** Of operations of a type. */
export const OPERATION_PERMISSIONS = { 'ValueSet/$expand': 'value-set:expand' } as const;
const OBSERVED: TypePolicy = { read: 'observation:read', write: 'observation:write', isOpen: false };
const RECORD: TypePolicy = { read: 'patient-record:read', write: 'patient-record:write', isOpen: false };
/** Those of the services come by POST /audit-events. */
const AUDIT: TypePolicy = { read: 'audit:read', write: 'audit:write', isOpen: false };

export function policyOf(resourceType: string): TypePolicy {
  if (resourceType === 'AuditEvent') return AUDIT;
  if (OPEN_TYPES.has(resourceType)) return ASKED_BY_DISPATCH.get(resourceType) ?? OPEN;
  return OBSERVATION_TYPES.has(resourceType) ? OBSERVED : RECORD;
}

/** The scopes of SMART by which a key reaches what is there: what it may change or delete it need not see. */
const REACHED_BY: Readonly<Record<'look' | 'change' | 'delete', readonly ScopeAction[]>> = {
  look: ['r', 's'],
  change: ['r', 's', 'u'],
  delete: ['r', 's', 'd'],
};

/**
 * Whose records the caller sees, for each type that a search may reach; or may change, as far as there is a right to
 * that.
 */
export function accessOf(principal: Principal, purpose: keyof typeof REACHED_BY = 'look'): Access {
  const own = dataScopeOf(principal);
  // A search asks many times for the same few types.
  const known = new Map<string, AccessFilter>();
  /** Who sees a Binary is decided by what it belongs to, in whatever way the caller sees that. */
  const secured = (base: AccessFilter, resourceType: string): AccessFilter => {
    if (resourceType !== 'Binary' || base.kind === 'all' || base.kind === 'none') return base;
    const others = r5Definitions().resourceTypes.filter((type) => type !== 'Binary');
    const seen = others.map((type) => ({
      type,
      filter: filterOf(principal, own, { resourceType: type, purpose: 'look' }),
    }));
    const groups = Map.groupBy(seen, ({ filter }) => JSON.stringify(filter));
    const contexts = [...groups.values()].flatMap((each) => {
      const filter = each[0]?.filter;
      return filter === undefined || filter.kind === 'none' ? [] : [{ types: each.map(({ type }) => type), filter }];
    });
    return { kind: 'secured', base, contexts };
  };
  return (resourceType) => {
    const filter =
      known.get(resourceType) ?? secured(filterOf(principal, own, { resourceType, purpose }), resourceType);
    known.set(resourceType, filter);
    return filter;
  };
}

/** The same for an interaction of FHIR. */
export function accessFor(principal: Principal, interaction: Interaction): Access {
  if (interaction === 'update' || interaction === 'patch') return accessOf(principal, 'change');
  return accessOf(principal, interaction === 'delete' ? 'delete' : 'look');
}

function filterOf(
  principal: Principal,
  own: AccessFilter,
  { resourceType, purpose }: { readonly resourceType: string; readonly purpose: keyof typeof REACHED_BY },
): AccessFilter {
  const policy = policyOf(resourceType);
  const looks = [policy.read, ...Object.values(policy.permissions ?? {})];
  if (looks.every((permission) => decide(permission, principal) !== 'allowed')) return { kind: 'none' };
  if (!REACHED_BY[purpose].some((action) => hasRight(principal, resourceType, action))) return { kind: 'none' };
  if (!policy.isOpen) return own;
  // Others' definitions are read by everybody, and changed by their owner (docs/adr/0050).
  if (purpose !== 'look') return own.kind === 'organisations' ? { ...own, mayReadOthers: true } : own;
  return { kind: 'all' };
}

/**
 * Whether a caller with the permission may do this: scopes limit what a caller may do as an API key, not what it may do
 * otherwise.
 */
export function hasRight(principal: Principal, resourceType: string, action: ScopeAction): boolean {
  if (!principal.roles.has('api_key')) return true;
  if (hasScope(principal, resourceType, action)) return true;
  const { read, write } = policyOf(resourceType);
  const roles = new Set([...principal.roles].filter((role) => role !== 'api_key'));
  return decide(action === 'r' || action === 's' ? read : write, { ...principal, roles }) === 'allowed';
}

type Json = Readonly<Record<string, unknown>>;

/**
 * The organisation that a resource belongs to: the one that a record names, when the caller works there, else the
 * caller's own. Knowledge and directories are the author's organisation's; an administrator's belong to the whole
 * system (docs/adr/0050).
 * @throws ServiceError `forbidden` for a caller who works nowhere
 */
export function ownerOf(resource: Json, principal: Principal): string | null {
  if (!policyOf(String(resource['resourceType'])).isOpen)
    return ownerOrganisation(principal, namedOrganisation(resource));
  return ownerOfDefinition(principal);
}

/**
 * Of several organisations the one for which the caller says to act. Null: it belongs to the whole system, and
 * administrators alone change it.
 * @throws ServiceError `forbidden` for a caller who works nowhere
 */
export function ownerOfDefinition(principal: Principal): string | null {
  if (principal.roles.has('admin')) return principal.actsFor ?? null;
  return ownerOrganisation(principal, undefined);
}

/** Elements in which R5 resources name the organisation that keeps or does the recorded thing. */
const ORGANISATION_ELEMENTS = ['managingOrganization', 'custodian', 'organization', 'performer', 'author'];

function namedOrganisation(resource: Json): string | undefined {
  for (const element of ORGANISATION_ELEMENTS) {
    const value = resource[element];
    if (value === undefined) continue;
    for (const reference of Array.isArray(value) ? value : [value]) {
      const text: unknown = isObject(reference) ? reference['reference'] : undefined;
      const guid = typeof text === 'string' ? /(?:^|\/)Organization\/([^/]+)$/.exec(text)?.[1] : undefined;
      if (guid !== undefined) return guid;
    }
  }
  return undefined;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}
