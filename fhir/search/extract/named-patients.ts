// Finds patients whom a resource names besides the one of its compartment (decision G7, docs/adr/0049). It finds them
// also where no search parameter reads, as in extensions, contained resources and entries of a Bundle.
import { parseReference } from '../../resources/references.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * Stands for a person who is not named by the id of a Patient of this server. It is not a FHIR id, so no Patient has
 * it.
 */
const UNKNOWN_PERSON = '?';

/**
 * Swedish personal and coordination numbers: a reference with one identifies a person, whatever its other members are.
 */
const PERSON_SYSTEMS = new Set([
  'urn:oid:1.2.752.129.2.1.3.1',
  'urn:oid:1.2.752.129.2.1.3.3',
  'http://electronichealth.se/identifier/personnummer',
  'http://electronichealth.se/identifier/samordningsnummer',
  'https://kedja.dev/ids/personnummer',
]);

/** Whether an identifier of the system is a Swedish personal or coordination number. */
export function isPersonSystem(system: unknown): boolean {
  return PERSON_SYSTEMS.has(String(system));
}

/**
 * A person other than the patient of the ids `own` whom the resource names: the id of a Patient of this server, or
 * {@link UNKNOWN_PERSON}. Undefined when it names no other. Narrative and other free text are not read.
 */
export function findOtherPatient(
  resource: Json,
  own: readonly string[],
  baseUrl: string | undefined,
): string | undefined {
  if (resource['resourceType'] === 'Group' && hasUnreferencedMember(resource['member'])) return UNKNOWN_PERSON;
  return findIn(resource, own, baseUrl);
}

function findIn(value: object, own: readonly string[], baseUrl: string | undefined): string | undefined {
  for (const child of Object.values(value)) {
    if (typeof child !== 'object' || child === null) continue;
    const other = (Array.isArray(child) ? undefined : personOf(child, own, baseUrl)) ?? findIn(child, own, baseUrl);
    if (other !== undefined) return other;
  }
  return undefined;
}

/** The other person that the object itself is or refers to: a Patient, or a Reference to one. */
function personOf(object: Json, own: readonly string[], baseUrl: string | undefined): string | undefined {
  const { reference, resourceType, id } = object;
  if (resourceType === 'Patient') return own.includes(String(id)) ? undefined : UNKNOWN_PERSON;
  if (typeof reference === 'string') return referredTo(object, reference, { own, baseUrl });
  return isLogicalPatient(object) ? UNKNOWN_PERSON : undefined;
}

function referredTo(
  object: Json,
  reference: string,
  { own, baseUrl }: { readonly own: readonly string[]; readonly baseUrl: string | undefined },
): string | undefined {
  const parsed = parseReference(reference, baseUrl);
  if (parsed?.kind === 'relative') return parsed.type === 'Patient' && !own.includes(parsed.id) ? parsed.id : undefined;
  // The contained Patient is visited as a resource of its own.
  if (parsed?.kind === 'contained') return undefined;
  const type = parsed !== undefined && 'type' in parsed ? parsed.type : object['type'];
  return type === 'Patient' ? UNKNOWN_PERSON : undefined;
}

/** A Reference without a URL. Other data types have a `type` too, but none of these members. */
function isLogicalPatient({ type, identifier, display }: Json): boolean {
  if (type === 'Patient' && (typeof display === 'string' || isObject(identifier))) return true;
  return isObject(identifier) && isPersonSystem(identifier['system']);
}

/** A member that is named only by text or identifier could be any person. */
function hasUnreferencedMember(member: unknown): boolean {
  if (!Array.isArray(member)) return false;
  return member.some((each) => isObject(each) && isObject(each['entity']) && each['entity']['reference'] === undefined);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
