// Invariants of Bundle in TypeScript (hl7.org/fhir/R5/bundle.html): those that every transaction needs and the compiler
// of expressions does not support.
import { isJsonObject, type JsonObject } from '../context.ts';
import { has, isDistinct, objectsIn, on, type Test } from './predicates.ts';

/** The tests by `Type/key`; each is true when the invariant holds. */
export const BUNDLE_RULES: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['Bundle/bdl-5', on((value) => ['resource', 'request', 'response'].some((name) => has(value, name)))],
  ['Bundle/bdl-7', on(hasDistinctFullUrls)],
  ['Bundle/bdl-8', on((value) => !String(value['fullUrl'] ?? '').includes('/_history/'))],
  ['Bundle/bdl-11', on(beginsWith('document', 'Composition'))],
  ['Bundle/bdl-12', on(beginsWith('message', 'MessageHeader'))],
  ['Bundle/bdl-13', on(beginsWith('subscription-notification', 'SubscriptionStatus'))],
  ['Bundle/bdl-16', on(hasMildIssues)],
]);

/** History may name one resource several times; elsewhere full URL and version are unique. */
function hasDistinctFullUrls(value: JsonObject): boolean {
  if (value['type'] === 'history') return true;
  const keys = objectsIn(value, 'entry').flatMap(({ fullUrl, resource }) => {
    if (typeof fullUrl !== 'string') return [];
    const meta = isJsonObject(resource) ? resource['meta'] : undefined;
    return [`${fullUrl}${isJsonObject(meta) ? (meta['versionId'] ?? '') : ''}`];
  });
  return isDistinct(keys);
}

/**
 * A bundle of the type has a first entry with a resource of the given type. The published expression ignores a bundle
 * without entries.
 */
function beginsWith(type: string, resourceType: string): (value: JsonObject) => boolean {
  return (value) => {
    if (value['type'] !== type) return true;
    const resource = objectsIn(value, 'entry')[0]?.['resource'];
    return isJsonObject(resource) && resource['resourceType'] === resourceType;
  };
}

/** The published expression compares a list with one value, so several issues would always fail. */
function hasMildIssues({ issues }: JsonObject): boolean {
  if (!isJsonObject(issues)) return true;
  const [first, ...others] = objectsIn(issues, 'issue').flatMap(({ severity }) =>
    severity === undefined ? [] : [severity],
  );
  return first === undefined || (others.length === 0 && (first === 'information' || first === 'warning'));
}
