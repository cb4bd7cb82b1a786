// The access policies of resource types (decisions G7, G12). The default is to deny: a type that is not listed as
// knowledge is a record, visible only to those to whom it belongs.

import { r5Definitions } from '#fhir/definitions/definitions.ts';
import { type Interaction, type InteractionPermissions, purposeOf } from '#fhir/rest/options.ts';
import type { Access, AccessFilter } from '#fhir/store/access.ts';
import { unprotectedFor } from '#fhir/store/protected-identity.ts';
import { dataScopeOf, ownerOrganisation } from '#lib/auth/data-scope.ts';
import { decide, type Permission } from '#lib/auth/permissions.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { type AccessPurpose, hasScope, REACHED_BY, type ScopeAction } from '#lib/auth/scopes.ts';

export interface TypePolicy {
  readonly read: Permission;
  readonly write: Permission;
  /**
   * Permissions of single interactions, in place of the above: for what one of Kedja's services needs and nothing else
   * of the type (docs/adr/0044).
   */
  readonly permissions?: InteractionPermissions;
  /**
   * Knowledge and directories are not secret: a caller who may read the type sees all of it. Only its owner changes it.
   */
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
/** What patients report about themselves (decision L2, docs/adr/0072). */
export const REPORT_TYPES: ReadonlySet<string> = new Set(['Observation', 'QuestionnaireResponse']);

const OPEN: TypePolicy = { read: 'definition:read', write: 'definition:write', isOpen: true };
/**
 * What dispatch reads from its plan service (clients/plan-client.ts): plans by canonical url, forms also by id, and
 * expansions.
 */
const PLAN: TypePolicy = { ...OPEN, permissions: { 'search-type': 'plan-definition:find' } };
const FORM: TypePolicy = {
  ...OPEN,
  permissions: { 'search-type': 'plan-definition:find', read: 'form-definition:read' },
};
const READ_BY_DISPATCH: ReadonlyMap<string, TypePolicy> = new Map([
  ['ActivityDefinition', PLAN],
  ['PlanDefinition', PLAN],
  ['ValueSet', PLAN],
  ['Questionnaire', FORM],
]);
/** The permissions of operations on a type. */
export const OPERATION_PERMISSIONS = { 'ValueSet/$expand': 'value-set:expand' } as const;
const REPORTED: TypePolicy = {
  read: 'observation:read',
  write: 'report:write',
  permissions: { create: 'report:provide', update: 'report:provide' },
  isOpen: false,
};
const OBSERVED: TypePolicy = { read: 'observation:read', write: 'observation:write', isOpen: false };
const RECORD: TypePolicy = { read: 'patient-record:read', write: 'patient-record:write', isOpen: false };
/** Events of the services arrive by POST /audit-events. */
const AUDIT: TypePolicy = { read: 'audit:read', write: 'audit:write', isOpen: false };

export function policyOf(resourceType: string): TypePolicy {
  if (resourceType === 'AuditEvent') return AUDIT;
  if (OPEN_TYPES.has(resourceType)) return READ_BY_DISPATCH.get(resourceType) ?? OPEN;
  if (REPORT_TYPES.has(resourceType)) return REPORTED;
  return resourceType === 'DiagnosticReport' ? OBSERVED : RECORD;
}

/** Returns which records of each type the caller may read, change or delete, as far as a permission for that exists. */
export function accessOf(principal: Principal, purpose: AccessPurpose = 'read'): Access {
  const own = dataScopeOf(principal, 'engine');
  // Cached, because a search needs the filters of the same few types many times.
  const known = new Map<string, AccessFilter>();
  /** A Binary is visible to those who may read its securityContext. */
  const secured = (base: AccessFilter, resourceType: string): AccessFilter => {
    if (resourceType !== 'Binary' || base.kind === 'all' || base.kind === 'none') return base;
    const others = r5Definitions().resourceTypes.filter((type) => type !== 'Binary');
    const seen = others.map((type) => ({
      type,
      filter: filterOf(principal, own, { resourceType: type, purpose: 'read' }),
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

/** Returns the access for an interaction of FHIR. */
export function accessFor(principal: Principal, interaction: Interaction): Access {
  return accessOf(principal, purposeOf(interaction));
}

function filterOf(
  principal: Principal,
  own: AccessFilter,
  { resourceType, purpose }: { readonly resourceType: string; readonly purpose: AccessPurpose },
): AccessFilter {
  const policy = policyOf(resourceType);
  // Who may create alone reaches nothing that exists. Providers reach their own reports by ../fhir/provider-reports.ts.
  const { create: _create, update: _update, ...ofExisting } = policy.permissions ?? {};
  const permissions = [policy.read, ...Object.values(ofExisting)];
  if (permissions.every((permission) => decide(permission, principal) !== 'allowed')) return { kind: 'none' };
  if (!REACHED_BY[purpose].some((action) => hasRight(principal, resourceType, action))) return { kind: 'none' };
  if (resourceType === 'Patient' && own.kind === 'all') return unprotectedFor(principal);
  if (!policy.isOpen) return REPORT_TYPES.has(resourceType) ? keepingReports(own, principal, purpose) : own;
  // Everybody reads definitions; only their owner changes them (docs/adr/0050).
  if (purpose !== 'read') return own.kind === 'organisations' ? { ...own, mayReadOthers: true } : own;
  return { kind: 'all' };
}

/**
 * Nobody changes what a patient or provider has reported but they; administrators may delete it (docs/adr/0072, 0078).
 */
function keepingReports(own: AccessFilter, principal: Principal, purpose: AccessPurpose): AccessFilter {
  if (purpose === 'read' || (purpose === 'delete' && principal.roles.has('admin'))) return own;
  return own.kind === 'all' || own.kind === 'organisations' ? { ...own, keepsReports: true } : own;
}

/**
 * Whether a caller with the permission may do an action. Scopes limit what a caller may do as an API key, not what its
 * other roles permit.
 */
export function hasRight(principal: Principal, resourceType: string, action: ScopeAction): boolean {
  if (!principal.roles.has('api_key')) return true;
  if (hasScope(principal, resourceType, action)) return true;
  const { read, write, permissions } = policyOf(resourceType);
  const ofAction = action === 'c' ? permissions?.create : action === 'u' ? permissions?.update : undefined;
  const change = ofAction ?? write;
  const roles = new Set([...principal.roles].filter((role) => role !== 'api_key'));
  return decide(action === 'r' || action === 's' ? read : change, { ...principal, roles }) === 'allowed';
}

type Json = Readonly<Record<string, unknown>>;

/**
 * Returns the organisation that will own a resource: the one that a record names, if the caller works there, else the
 * caller's own. Knowledge and directories belong to the author's organisation; those by an administrator belong to the
 * whole system (docs/adr/0050).
 * @throws ServiceError `forbidden` for a caller without an organisation
 */
export function ownerOf(resource: Json, principal: Principal): string | null {
  if (!policyOf(String(resource['resourceType'])).isOpen)
    return ownerOrganisation(principal, namedOrganisation(resource));
  return ownerOfDefinition(principal);
}

/**
 * Returns the organisation for which the caller acts, if they have several. Null: the definition belongs to the whole
 * system, and only administrators change it.
 * @throws ServiceError `forbidden` for a caller who works nowhere
 */
export function ownerOfDefinition(principal: Principal): string | null {
  if (principal.roles.has('admin')) return principal.actsFor ?? null;
  return ownerOrganisation(principal, undefined);
}

/** Elements in which R5 resources name the responsible organisation. */
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
