// Handles the tasks of a worker thread. It parses, validates, patches and indexes large bodies by the same functions as
// the main thread does small ones (docs/adr/0042). It caches users' definitions until they change, and no bodies.

import { r5Definitions } from '#fhir/definitions/definitions.ts';
import { parseExactJson } from '#fhir/json/exact-json.ts';
import { applyFhirPathPatch, readFhirPathPatch } from '#fhir/patch/fhirpath-patch.ts';
import { applyJsonPatch, readJsonPatchText } from '#fhir/patch/json-patch.ts';
import { isJsonObject, type JsonObject } from '#fhir/patch/json-tree.ts';
import { createProfilesOver } from '#fhir/profiles/custom.ts';
import { fillSnapshot } from '#fhir/profiles/snapshot/snapshot-resource.ts';
import type { ElementJson, Structure } from '#fhir/profiles/snapshot/structure.ts';
import { type ResourceText, readResourceText } from '#fhir/resources/resource-text.ts';
import { compartmentPatients, extractParameter, extractSearchValues } from '#fhir/search/extract/extract.ts';
import type { SearchValues } from '#fhir/search/extract/search-values.ts';
import { resourceWords } from '#fhir/search/extract/words.ts';
import { loadSearchParameters, type SearchParameters } from '#fhir/search/parameters/definitions.ts';
import { createSearchOverlay, toSearchParameter } from '#fhir/search/parameters/overlay.ts';
import { isVersionVisible } from '#fhir/store/access.ts';
import { indexTexts } from '#fhir/store/index/index-tables.ts';
import type { IndexedBy } from '#fhir/store/threads.ts';
import type { CodeSelection } from '#fhir/terminology/code-selection.ts';
import { MAX_ISSUES } from '#fhir/validation/issue-list.ts';
import { createValidate, type Validate } from '#fhir/validation/stored-validation.ts';
import { validateResource } from '#fhir/validation/validate.ts';
import { tooCostly } from '#lib/errors.ts';
import type { Ask, Handle } from '#lib/jobs/serve-work.ts';
import { changing, type Labels, type MetaOperation } from '../interactions/labels.ts';
import { createSnapshot } from '../interactions/snapshot-result.ts';
import { readValidateRequest, writtenText } from '../interactions/validate-request.ts';
import { unlessSame } from '../interactions/write/patch-change.ts';
import { referenceTargets } from '../interactions/write/target-addresses.ts';
import { conditionalReferences, mayBeConditional, type Relinked, relinked, relinkedWith, relinkFor } from '../links.ts';
import { subsetText } from '../subset.ts';
import { readBody } from './body.ts';
import { headOf, readEntriesOf } from './read-entries.ts';
import type {
  Answers,
  Checked,
  Generations,
  IndexedResource,
  PatchKind,
  Question,
  ReadResource,
  SentTask,
  Task,
  ThreadOptions,
  Validated,
  View,
} from './tasks.ts';

/** More members than any resource of R5 has, by a factor of ten. */
const MAX_MEMBERS = 1_000;

/** Work of a service in its threads, beside that of FHIR. */
export type OwnWork = (work: unknown, parameters: SearchParameters) => unknown;

export function createHandler(given: unknown, ask: Ask, own?: OwnWork): Handle {
  const { baseUrl, isPlain, sortLanguage } = given as ThreadOptions;
  const known = createKnown(loadSearchParameters(baseUrl, sortLanguage), ask);
  const validate: Validate = isPlain
    ? (resource, follows = [], expressions = { leftMs: 0 }) => validateResource(resource, { follows, expressions })
    : known.validate;
  const handle = ({ generations, ...task }: SentTask): Generator<unknown, unknown, void> => {
    known.renew(generations);
    return carryOut(task, { baseUrl, validate, known, own });
  };
  return (message) => handle(message as SentTask);
}

interface TaskContext {
  readonly baseUrl: string;
  readonly validate: Validate;
  readonly known: ReturnType<typeof createKnown>;
  readonly own: OwnWork | undefined;
}

function* carryOut(task: Task, means: TaskContext): Generator<unknown, unknown, void> {
  switch (task.kind) {
    case 'read':
      return sent(readBody(task.body));
    case 'bundle': {
      const bundle = readBody(task.body);
      yield* readEntriesOf(bundle);
      return { text: headOf(bundle), resourceType: bundle.resourceType, members: [] } satisfies ReadResource;
    }
    case 'check':
      return checked(means, readResourceText(task.text).resource, task);
    case 'index': {
      const { resource } = readResourceText(task.text);
      return indexed(extractSearchValues({ ...resource, id: task.id }, means.known.parameters));
    }
    case 'indexAgain':
      return indexed(means.known.again(parsedObject(task.text), task.by));
    case 'visible':
      return isVersionVisible(task.filter, task.version, means.known.parameters);
    case 'patients':
      return compartmentPatients(parsedObject(task.text), means.known.parameters);
    case 'words':
      return resourceWords(parsedObject(task.text));
    case 'subset':
      return subsetText(task.text, task.subset, r5Definitions());
    case 'targets':
      yield* inPieces(referenceTargets(parsedObject(task.text), means.baseUrl));
      return undefined;
    case 'references':
      return conditionalReferences(readResourceText(task.text), means.baseUrl);
    case 'relink': {
      const source = readResourceText(task.text);
      const { fullUrl, addresses, conditional } = task.links;
      const { source: changed, dangling } = relinkedWith(source, relinkFor(fullUrl, addresses, conditional));
      const whole = changed === source ? undefined : sent(changed);
      return { source: whole, dangling: dangling.slice(0, MAX_ISSUES) } satisfies Relinked<ReadResource | undefined>;
    }
    case 'own':
      return means.own?.(task.work, means.known.parameters);
    case 'patch':
      return patched(task);
    case 'snapshot': {
      const expressions = { leftMs: task.expressionMs };
      return createSnapshot(readBody(task.body), {
        validate: (definition) => means.validate(definition, [], expressions),
        fill: (definition) => fillSnapshot(definition, means.known.profiles),
      });
    }
    case 'validate':
      return validated(task, means);
    default:
      return task satisfies never;
  }
}

function indexed(values: SearchValues): IndexedResource {
  const { patients, extraction, baseUrl, sortLanguage } = values;
  return { texts: indexTexts([values]), patients, extraction, baseUrl, sortLanguage };
}

/** Items of a list in one message: the main thread handles a message without a pause. */
const PIECE = 500;

function* inPieces<T>(items: readonly T[]): Generator<readonly T[], void, void> {
  for (let start = 0; start < items.length; start += PIECE) yield items.slice(start, start + PIECE);
}

/** Parses a stored text, which was validated when it was written. */
function parsedObject(text: string): Readonly<Record<string, unknown>> {
  return Object(JSON.parse(text));
}

/**
 * @throws ServiceError `invalid_request` for too many members: the resource cannot be valid, and sending them would be
 * a waste
 */
function sent({ text, resourceType, members }: ResourceText): ReadResource {
  if (members.length <= MAX_MEMBERS) return { text, resourceType, members };
  throw tooCostly(`The resource has ${members.length} members; a resource has at most ${MAX_MEMBERS}`);
}

function checked(
  { validate }: TaskContext,
  resource: Readonly<Record<string, unknown>>,
  { follows, expressionMs }: { readonly follows: readonly string[]; readonly expressionMs: number },
): Checked {
  const expressions = { leftMs: expressionMs };
  const issues = validate(resource, follows, expressions);
  return { issues, expressionMs: expressionMs - expressions.leftMs };
}

function patched({ content, patch, how }: Extract<Task, { kind: 'patch' }>): ReadResource | undefined {
  const resource = parseExactJson(content);
  if (!isJsonObject(resource)) throw new TypeError('A stored resource is a JSON object');
  const changed = changeOf(how, patch)(resource);
  return changed && sent(readResourceText(JSON.stringify(changed)));
}

function changeOf(how: PatchKind, patch: string): (resource: JsonObject) => JsonObject | undefined {
  switch (how) {
    case 'json':
      return unlessSame((resource) => applyJsonPatch(resource, readJsonPatchText(patch)));
    case 'fhirpath':
      return unlessSame((resource) => applyFhirPathPatch(resource, readFhirPathPatch(parametersIn(patch))));
    case 'labels': {
      const { operation, labels }: { operation: MetaOperation; labels: Labels } = JSON.parse(patch);
      return changing(operation, labels);
    }
    default:
      return how satisfies never;
  }
}

function parametersIn(text: string): Record<string, unknown> {
  const parameters = parseExactJson(text);
  return isJsonObject(parameters) ? parameters : {};
}

function validated({ body, wanted: given }: Extract<Task, { kind: 'validate' }>, means: TaskContext): Validated {
  const source = readBody(body);
  const query = new URLSearchParams(given.query);
  const { mode, profiles, resource } = readValidateRequest(query, source);
  const none = { issues: [], expressionMs: 0 };
  if (resource === undefined) return { kind: 'validated', mode, resource: undefined, checked: none };
  const { resourceType, id } = resource;
  const head = { resourceType, id };
  let whole: Readonly<Record<string, unknown>> = resource;
  if (typeof resourceType === 'string' && mayBeConditional(source.text)) {
    const own = readResourceText(writtenText(query, source, resource));
    if (given.conditional === undefined) {
      const references = own.resourceType === 'Bundle' ? [] : conditionalReferences(own, means.baseUrl);
      if (references.length > 0) return { kind: 'references', references };
    } else
      whole = relinked(own, (link, place) =>
        place === 'reference' ? given.conditional?.get(link) : undefined,
      ).resource;
  }
  if (mode === 'delete') return { kind: 'validated', mode, resource: head, checked: none };
  const found = checked(means, whole, { follows: profiles, expressionMs: given.expressionMs });
  return { kind: 'validated', mode, resource: head, checked: found };
}

/** Milliseconds that one task waits for value sets that are being computed, all of them together. */
const WAIT_MS = 5_000;

/** Caches the users' definitions that the thread has requested from the main thread. */
function createKnown(official: SearchParameters, ask: Ask) {
  const overlay = createSearchOverlay(official);
  let urls: ReadonlySet<string> = new Set();
  let structures = new Map<string, Structure | undefined>();
  let selections = new Map<string, CodeSelection>();
  let waitMs = WAIT_MS;
  let at: Generations = { profiles: 0, valueSets: -1, parameters: overlay.parameters.version };
  const question = <K extends Question['kind']>(asked: Extract<Question, { kind: K }>): Answers[K] =>
    ask(asked) as Answers[K];
  const elements = (canonical: string, view: View): ElementJson[] => {
    const all: ElementJson[] = [];
    for (;;) {
      const some = question({ kind: 'elements', canonical, view, from: all.length });
      if (some.length === 0) return all;
      for (const each of some) all.push(each);
    }
  };
  const profile = (canonical: string): Structure | undefined => {
    const head = question({ kind: 'profile', canonical });
    if (head === undefined) return undefined;
    const { snapshot, differential } = head;
    return {
      ...head,
      snapshot: snapshot && elements(canonical, 'snapshot'),
      differential: differential && elements(canonical, 'differential'),
    };
  };
  const custom = (canonical: string): Structure | undefined => {
    if (!urls.has(canonical.split('|', 1)[0] ?? '')) return undefined;
    if (!structures.has(canonical)) structures.set(canonical, profile(canonical));
    return structures.get(canonical);
  };
  const { profiles, forget } = createProfilesOver(custom);
  const find = (canonical: string): CodeSelection | string | undefined => {
    const before = selections.get(canonical);
    if (before !== undefined) return before;
    const startedAt = performance.now();
    const found = question({ kind: 'valueSet', canonical, waitMs });
    waitMs = Math.max(0, waitMs - (performance.now() - startedAt));
    // A text is the reason why there are no codes, which may differ the next time.
    if (found !== undefined && typeof found !== 'string') selections.set(canonical, found);
    return found;
  };
  const hasCode = (system: string, code: string): boolean => question({ kind: 'code', system, code });
  /** A background job brings its own definitions, which may be later than those of the node. */
  const again = (resource: Readonly<Record<string, unknown>>, by: IndexedBy): SearchValues => {
    const own = createSearchOverlay(official);
    own.replace(by.content);
    return by.kind === 'all'
      ? extractSearchValues(resource, own.parameters)
      : extractParameter(resource, toSearchParameter(by.parameter), own.parameters);
  };
  return {
    again,
    parameters: overlay.parameters,
    profiles,
    validate: createValidate(official, { profiles, valueSets: { find, hasCode } }),
    renew: (now: Generations): void => {
      waitMs = WAIT_MS;
      if (now.profiles !== at.profiles) {
        urls = new Set(question({ kind: 'profileUrls' }));
        structures = new Map();
        forget();
      }
      if (now.valueSets !== at.valueSets) selections = new Map();
      if (now.parameters !== at.parameters) overlay.replace(question({ kind: 'parameters' }));
      at = now;
    },
  };
}
