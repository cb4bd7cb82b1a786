// Which patients a resource names besides the one in whose compartment it lies (decision G7, docs/adr/0049): also where
// no search parameter reads, as in extensions, contained resources and the entries of a Bundle.
import { parseReference } from '../../resources/references.ts';

type Json = Readonly<Record<string, unknown>>;

/** Stands for a person who is named by something other than the id of a Patient here; no FHIR id, so nobody has it. */
const UNKNOWN_PERSON = '?';

/**
 * Swedish personal and coordination numbers: who is identified by one is a person, whatever else the reference says.
 */
const PERSON_SYSTEMS = new Set([
  'urn:oid:1.2.752.129.2.1.3.1',
  'urn:oid:1.2.752.129.2.1.3.3',
  'http://electronichealth.se/identifier/personnummer',
  'http://electronichealth.se/identifier/samordningsnummer',
]);

/**
 * One person other than the patient `own` whom the resource names: the id of a Patient here, or {@link UNKNOWN_PERSON};
 * undefined where it names nobody else. Narrative and other free text are not read.
 */
export function findOtherPatient(resource: Json, own: string, baseUrl: string | undefined): string | undefined {
  if (resource['resourceType'] === 'Group' && hasUnreferencedMember(resource['member'])) return UNKNOWN_PERSON;
  return findIn(resource, own, baseUrl);
}

function findIn(value: object, own: string, baseUrl: string | undefined): string | undefined {
  for (const child of Object.values(value)) {
    if (typeof child !== 'object' || child === null) continue;
    const other = (Array.isArray(child) ? undefined : personOf(child, own, baseUrl)) ?? findIn(child, own, baseUrl);
    if (other !== undefined) return other;
  }
  return undefined;
}

/** The other person for whom the object stands by itself: a Patient, or a Reference to one. */
function personOf(object: Json, own: string, baseUrl: string | undefined): string | undefined {
  const { reference, resourceType, id } = object;
  if (resourceType === 'Patient') return id === own ? undefined : UNKNOWN_PERSON;
  if (typeof reference === 'string') return referredTo(object, reference, { own, baseUrl });
  return isLogicalPatient(object) ? UNKNOWN_PERSON : undefined;
}

function referredTo(
  object: Json,
  reference: string,
  { own, baseUrl }: { readonly own: string; readonly baseUrl: string | undefined },
): string | undefined {
  const parsed = parseReference(reference, baseUrl);
  if (parsed?.kind === 'relative') return parsed.type === 'Patient' && parsed.id !== own ? parsed.id : undefined;
  // A contained Patient is found as a resource of its own.
  if (parsed?.kind === 'contained') return undefined;
  const type = parsed !== undefined && 'type' in parsed ? parsed.type : object['type'];
  return type === 'Patient' ? UNKNOWN_PERSON : undefined;
}

/** A Reference without an address. Other data types have a `type`, too, but neither of these beside it. */
function isLogicalPatient({ type, identifier, display }: Json): boolean {
  if (type === 'Patient' && (typeof display === 'string' || isObject(identifier))) return true;
  return isObject(identifier) && PERSON_SYSTEMS.has(String(identifier['system']));
}

/** Whoever is a member by name or number alone might be anybody. */
function hasUnreferencedMember(member: unknown): boolean {
  if (!Array.isArray(member)) return false;
  return member.some((each) => isObject(each) && isObject(each['entity']) && each['entity']['reference'] === undefined);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
