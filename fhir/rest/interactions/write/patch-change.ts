// Converts a patch to a function on a resource, and decides whether it runs in a worker thread. FHIRPath, or a thousand
// operations on a large resource, may take long (docs/adr/0042, 0043).
import { parseExactJson } from '#fhir/json/exact-json.ts';
import { applyFhirPathPatch, type FhirPathPatch, readFhirPathPatch } from '#fhir/patch/fhirpath-patch.ts';
import { applyJsonPatch, type JsonPatch, readJsonPatchText } from '#fhir/patch/json-patch.ts';
import { isJsonObject, type JsonObject } from '#fhir/patch/json-tree.ts';
import { isLong } from '#fhir/store/threads.ts';
import type { PatchKind } from '../../threads/tasks.ts';
import type { RequestBudget } from '../../threads/worker-threads.ts';

interface GivenPatch {
  readonly text: string;
  /** Of the request that brings it. */
  readonly budget?: RequestBudget | undefined;
}

/** A patch; without operations when its text is too long to be read here. */
export type Patch = GivenPatch &
  (
    | { readonly kind: 'json'; readonly operations: JsonPatch | undefined }
    | { readonly kind: 'fhirpath'; readonly operations: FhirPathPatch | undefined }
  );

export interface Change {
  /** The resource as it is to be; undefined when it is that already. */
  readonly now: (resource: JsonObject) => JsonObject | undefined;
  /** Whether that would hold up the event loop, of a resource of so many characters. */
  readonly isCostly: (length: number) => boolean;
  /** The same for a thread. */
  readonly workerThreads: {
    readonly how: PatchKind;
    readonly patch: string;
    readonly budget?: RequestBudget | undefined;
  };
}

/** Operations times characters of the resource: each operation may look at all of it. */
const MOST_WORK = 4_000_000;
const STEP = '[a-z][A-Za-z]*(?:\\[\\d{1,6}\\])?|(?:first|last)\\(\\)|ofType\\([A-Za-z]+\\)';
const CRITERION = "[a-z][A-Za-z]*(?:\\.[a-z][A-Za-z]*)* *= *(?:'[^'\\\\]*'|true|false|\\d{1,9})";
/** Steps to elements, by place or by what they hold: each gives a part of what it is given. */
const PLAIN_PATH = new RegExp(`^[A-Z][A-Za-z]*(?:\\.(?:${STEP}|where\\(${CRITERION}\\)))*$`);

/**
 * A patch by its text.
 * @throws ServiceError `invalid_request` naming every operation that is none, when the text is read at once
 */
export function readPatchText(kind: Patch['kind'], given: GivenPatch, hasThreads: boolean): Patch {
  if (hasThreads && isLong(given)) return { ...given, kind, operations: undefined };
  if (kind === 'json') return { ...given, kind, operations: readJsonPatchText(given.text) };
  return { ...given, kind, operations: fhirPathIn(given.text) };
}

/** What leaves the resource as it is, a patch without operations above all, makes no version. */
export function unlessSame(apply: (resource: JsonObject) => JsonObject): Change['now'] {
  return (resource) => {
    const changed = apply(resource);
    return JSON.stringify(changed) === JSON.stringify(resource) ? undefined : changed;
  };
}

export function patching(patch: Patch): Change {
  const { kind, text, budget } = patch;
  const workerThreads = { how: kind, patch: text, budget };
  if (patch.kind === 'json') {
    const { operations } = patch;
    return {
      now: unlessSame((resource) => applyJsonPatch(resource, operations ?? readJsonPatchText(text))),
      isCostly: (length) => operations === undefined || operations.length * length > MOST_WORK,
      workerThreads,
    };
  }
  const { operations } = patch;
  const isPlain = operations?.every(({ path }) => PLAIN_PATH.test(path)) === true;
  return {
    now: unlessSame((resource) => applyFhirPathPatch(resource, operations ?? fhirPathIn(text))),
    isCostly: (length) => !isPlain || (operations?.length ?? 0) * length > MOST_WORK,
    workerThreads,
  };
}

function fhirPathIn(text: string): FhirPathPatch {
  const parameters = parseExactJson(text);
  return readFhirPathPatch(isJsonObject(parameters) ? parameters : {});
}
