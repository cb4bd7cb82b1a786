// Converts rows of the directory to FHIR R5 resources (decision I15). Pure mapping, described in
// docs/reference/identity-fhir.md.
import type { Extension, Group, GroupMember, HumanName, Organization, Patient, Practitioner } from 'fhir/r5.js';
import type { ShownPatient } from '../patients/service.ts';

const EXTENSIONS = 'https://kedja.dev/fhir/StructureDefinition';
export const GROUP_TYPE_SYSTEM = 'https://kedja.dev/codes/group-type';
export const ROLE_EXTENSION = `${EXTENSIONS}/professional-role`;
export const ORGANISATION_EXTENSION = `${EXTENSIONS}/practitioner-organization`;
export const REGISTRY_EXTENSION = `${EXTENSIONS}/patient-registry`;
export const GROUP_ADMIN_EXTENSION = `${EXTENSIONS}/group-admin`;
/** Personal and coordination numbers have different identifier systems. */
const PERSONNUMMER_SYSTEM = 'urn:oid:1.2.752.129.2.1.3.1';
const COORDINATION_NUMBER_SYSTEM = 'urn:oid:1.2.752.129.2.1.3.3';

type WithId<T> = T & { readonly id: string };

export interface OrganisationRow {
  readonly id: string;
  readonly name: string;
  readonly created_at: Date;
}

export function organizationResource({ id, name, created_at }: OrganisationRow): WithId<Organization> {
  const meta = { lastUpdated: created_at.toISOString() };
  return { resourceType: 'Organization', id, meta, active: true, name };
}

export interface GroupRow {
  readonly id: string;
  readonly name: string;
  readonly group_type: string;
  readonly description: string | null;
}

export interface MemberRow {
  readonly professional_guid: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly is_admin: boolean;
}

/**
 * The members that a caller sees: null for callers who are not members; `shown` null when they are too many for a list.
 */
export interface VisibleMembers {
  readonly count: number;
  readonly shown: readonly MemberRow[] | null;
}

export function groupResource(row: GroupRow, members: VisibleMembers | null): WithId<Group> {
  const { id, name, group_type: code, description } = row;
  const member = (members?.shown ?? []).map(memberOf);
  return {
    resourceType: 'Group',
    id,
    active: true,
    type: 'practitioner',
    membership: 'enumerated',
    code: { coding: [{ system: GROUP_TYPE_SYSTEM, code }] },
    name,
    ...(description === null || description === '' ? {} : { description }),
    ...(members === null ? {} : { quantity: members.count }),
    ...(member.length === 0 ? {} : { member }),
  };
}

function memberOf(member: MemberRow): GroupMember {
  const display = fullName(member);
  return {
    ...(member.is_admin ? { extension: [{ url: GROUP_ADMIN_EXTENSION, valueBoolean: true }] } : {}),
    entity: {
      reference: `Practitioner/${member.professional_guid}`,
      type: 'Practitioner',
      ...(display === '' ? {} : { display }),
    },
  };
}

export interface PractitionerRow {
  readonly professional_guid: string;
  readonly email: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly professional_role: string;
  readonly organisation_guids: readonly string[];
}

/** The whole resource, for the professional and SU admins. */
export function practitionerResource(row: PractitionerRow): WithId<Practitioner> {
  const organisations = row.organisation_guids.map(
    (guid): Extension => ({ url: ORGANISATION_EXTENSION, valueReference: { reference: `Organization/${guid}` } }),
  );
  return {
    resourceType: 'Practitioner',
    id: row.professional_guid,
    extension: [{ url: ROLE_EXTENSION, valueCode: row.professional_role }, ...organisations],
    active: true,
    ...named(row),
    telecom: [{ system: 'email', value: row.email }],
  };
}

/** The name only, which the catalogue of group leaders shows to everybody. */
export function practitionerName(row: PractitionerRow): WithId<Practitioner> {
  return { resourceType: 'Practitioner', id: row.professional_guid, active: true, ...named(row) };
}

/** Without gender: the directory does not store it, and a digit of the personnummer is not reliable. */
export function patientResource(record: ShownPatient): WithId<Patient> {
  const { personnummer, firstName, lastName, organisationGuid } = record;
  const extension = record.registries.map((name): Extension => ({ url: REGISTRY_EXTENSION, valueString: name }));
  const system = identifierSystemOf(personnummer);
  return {
    resourceType: 'Patient',
    id: record.patientGuid,
    ...(extension.length === 0 ? {} : { extension }),
    identifier: [{ use: 'official', system, value: personnummer }],
    active: true,
    ...named({ first_name: firstName, last_name: lastName }),
    ...(record.email === null ? {} : { telecom: [{ system: 'email', value: record.email }] }),
    birthDate: birthDateOf(personnummer),
    ...(organisationGuid === undefined
      ? {}
      : { managingOrganization: { reference: `Organization/${organisationGuid}` } }),
  };
}

/** A coordination number has 60 added to its day. */
export function identifierSystemOf(personnummer: string): string {
  return Number(personnummer.slice(6, 8)) > 60 ? COORDINATION_NUMBER_SYSTEM : PERSONNUMMER_SYSTEM;
}

/** `YYYY-MM-DD`. */
export function birthDateOf(personnummer: string): string {
  const day = Number(personnummer.slice(6, 8)) % 60;
  return `${personnummer.slice(0, 4)}-${personnummer.slice(4, 6)}-${String(day).padStart(2, '0')}`;
}

interface Names {
  readonly first_name: string | null;
  readonly last_name: string | null;
}

function named(names: Names): { name?: HumanName[] } {
  const { first_name: given, last_name: family } = names;
  const text = fullName(names);
  if (text === '') return {};
  return { name: [{ text, ...(family ? { family } : {}), ...(given ? { given: given.split(/\s+/) } : {}) }] };
}

/** The display name. */
export function fullName({ first_name: first, last_name: last }: Names): string {
  return [first, last].filter((part) => part !== null && part !== '').join(' ');
}
