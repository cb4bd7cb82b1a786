// Checks URLs that must be absolute or agree with their subject: systems of codes and identifiers, extensions, full
// URLs of bundle entries (hl7.org/fhir/R5/datatypes.html#Coding, extensibility.html#Extension,
// bundle.html#bundle-unique).
import { isAbsoluteUri } from '../../primitives/primitives.ts';
import { parseReference } from '../../resources/references.ts';
import { addIssue, addWarning, isJsonObject, type JsonObject, type ValidationContext } from '../context.ts';

/** The system of a Coding, Identifier or Quantity must be an absolute URI. */
export function checkSystem(context: ValidationContext, { system }: JsonObject): void {
  if (isRelative(system)) addIssue(context, 'value', 'must be an absolute URI', 'system');
}

/**
 * The system of a Coding within a CodeableConcept should be absolute. R5 requires no more
 * (hl7.org/fhir/R5/datatypes-definitions.html#Coding.system): the text and other codings may give the concept's
 * meaning.
 */
export function adviseSystem(context: ValidationContext, { system }: JsonObject): void {
  if (isRelative(system)) addWarning(context, 'value', 'should be an absolute URI', 'system');
}

function isRelative(system: unknown): boolean {
  return typeof system === 'string' && system !== '' && !isAbsoluteUri(system);
}

/** A URL without a host is invalid (RFC 9110, section 4.2.1). */
const WITHOUT_HOST = /^https?:\/*$/i;

const URI_SYSTEM = 'urn:ietf:rfc:3986';

/** An identifier in the system of URIs must be an absolute URI (hl7.org/fhir/R5/datatypes.html#Identifier). */
export function checkIdentifier(context: ValidationContext, identifier: JsonObject): void {
  checkSystem(context, identifier);
  const { system, value } = identifier;
  if (system === URI_SYSTEM && typeof value === 'string' && !isAbsoluteUri(value))
    addIssue(context, 'value', `must be an absolute URI, as the system ${URI_SYSTEM} says`, 'value');
}

/** Within an extension the URL is the name of a part; elsewhere it is the definition's URL, without a version. */
export function checkExtensionUrl(context: ValidationContext, { url }: JsonObject): void {
  if (typeof url !== 'string') return;
  const isNested = context.path.filter((step) => step === 'extension' || step === 'modifierExtension').length > 1;
  if (!isNested && (!isAbsoluteUri(url) || WITHOUT_HOST.test(url)))
    addIssue(context, 'value', 'must be an absolute URL', 'url');
  if (url.includes('|')) addIssue(context, 'value', 'must not name a version of the extension', 'url');
}

/**
 * A full URL is absolute, and one of a FHIR server ends with the type and id of the resource. A resource to be created
 * has no id. bdl-7 and bdl-8 check that it is unique and names no version.
 */
export function checkFullUrl(context: ValidationContext, { fullUrl, resource, request }: JsonObject): void {
  if (typeof fullUrl !== 'string' || fullUrl === '') return;
  if (!isAbsoluteUri(fullUrl)) addIssue(context, 'value', 'must be an absolute URL', 'fullUrl');
  if (!isJsonObject(resource) || (isJsonObject(request) && request['method'] === 'POST')) return;
  const address = parseReference(fullUrl);
  if (address?.kind !== 'absolute') return;
  const { resourceType, id } = resource;
  if (address.type === resourceType && address.id === id) return;
  const message =
    id === undefined
      ? 'must be a urn:uuid: as the resource has no id'
      : `must end with ${String(resourceType)}/${String(id)}: the type and id of the resource`;
  addIssue(context, 'value', message, 'fullUrl');
}
