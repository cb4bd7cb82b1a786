// Validates one coding: whether its system and the value set have the code, whether its display is right, and whether
// it is active.
import { joinCanonical } from '../../catalog/catalog.ts';
import { type CodeGrammar, grammarOf } from '../../content/code-grammars.ts';
import { isInPart, type Part } from '../../content/content.ts';
import type { SystemView } from '../../content/system-view.ts';
import { unknownCodeSystem, unknownForeignSystem } from '../../messages.ts';
import { hasBit } from '../../model/bitset.ts';
import type { CodeSystemMeta, Coding } from '../../model/code-system-model.ts';
import type { OperationContext } from '../context.ts';
import { statusAt } from '../expansion-properties.ts';
import { checkDisplay, displayOf } from './check-display.ts';
import type { CheckOptions } from './check-options.ts';
import { findSystem, isAbsolute, partsOf, reportNoSystem } from './check-system.ts';
import { checkUse, isDiscouraged } from './check-use.ts';
import { codingName } from './coding-name.ts';
import { IssueList } from './issue-list.ts';
import type { Issue } from './issues.ts';
import type { ConceptPlace } from './place.ts';

export interface Checked {
  readonly coding: Coding;
  readonly issues: readonly Issue[];
  /** Whether the value set has the code, as far as its system is known. */
  readonly isInside: boolean;
  /** Whether the version of the system that is wanted is known. */
  readonly isResolved: boolean;
  /** The code system in the version that was used. */
  readonly meta: CodeSystemMeta | undefined;
  readonly display: string | undefined;
  readonly isInactive: boolean;
  /** The status of a concept that is inactive, or whose use is discouraged. */
  readonly status: string | undefined;
  /** The code as the code system writes it, when it is written otherwise. */
  readonly normalizedCode: string | undefined;
  /** The canonical of a code system that is unknown, of which the value set has codes. */
  readonly cause: string | undefined;
  /** The canonical of any other unknown code system. */
  readonly unknownSystem: string | undefined;
}

/** `path` is the FHIRPath of the coding: `Coding`, `CodeableConcept.coding[0]`, or empty for bare parameters. */
export function checkCoding(context: OperationContext, coding: Coding, path: string, options: CheckOptions): Checked {
  const list = new IssueList(path);
  const { system, code = '' } = coding;
  const check: Check = { context, coding, options, list };
  if (system === undefined) {
    if (path !== '') list.addOfCoding({ severity: 'warning', kind: 'invalid-data', message: NO_SYSTEM });
    return outside(check, {});
  }
  const content = options.contentFor?.(coding);
  const parts = content === undefined ? undefined : partsOf(content, coding);
  const part = parts?.[0];
  const found = findSystem(context, coding, part, list);
  if (found.view === undefined)
    return reportNoSystem(context, system, list) ? outside(check, {}) : withoutView(check, parts);
  const { view } = found;
  // Of a system whose codes are elsewhere, no code can be told from another one.
  if (view.model.meta.content === 'not-present') return withoutView(check, parts);
  requireVersion(view.model.meta, part, check);
  const place = findPlace(view, check);
  const isWritten = place === -1 || view.model.isCodeAt(place, code);
  const right = isWritten ? code : view.model.code(place);
  const isInside = parts === undefined || hasCode(parts, { code: right, place, view }, coding);
  const more = { cause: found.unknown, isResolved: found.isResolved, meta: view.model.meta };
  if (place === -1) return isInside ? checked(check, more) : outside(check, more);
  const at: ConceptPlace = { view, place, listed: part?.kind === 'known' ? part.listed.get(place) : undefined };
  const isDropped = !isInside && parts?.some((each) => isInactiveOf(each, view, place)) === true;
  const isInactive = view.model.isInactive(place);
  const status = statusAt(view, place);
  const described: More = {
    cause: found.unknown,
    isResolved: found.isResolved,
    meta: view.model.meta,
    display: displayOf(options.languages, at),
    isInactive,
    status: isInactive || isDiscouraged(status) ? status : undefined,
    normalizedCode: right === code ? undefined : right,
  };
  if (!isInside && !isDropped) return outside(check, described);
  if (!options.isMembershipOnly) {
    checkUse(at, coding, { list, options, isDropped, status });
    list.addFound('display', checkDisplay(coding, at, options));
  }
  return isDropped ? outside(check, described) : checked(check, described);
}

/** Codes of some systems mean different things in different versions. */
function requireVersion(meta: CodeSystemMeta, part: Part | undefined, { context, coding, options, list }: Check): void {
  if (meta.isVersionNeeded !== true || coding.version !== undefined || options.isMembershipOnly) return;
  const { forced, defaults } = context.rules;
  if (part?.named !== undefined || forced.has(meta.url) || defaults.has(meta.url)) return;
  const message = `The code system '${meta.url}' needs a version, as its codes may change their meaning, and the coding has none`;
  list.add('error', 'version-error', 'version', message);
}

const NO_SYSTEM =
  'Coding has no system. A code with no system has no defined meaning, and it cannot be validated. A system should be provided';

interface Check {
  readonly context: OperationContext;
  readonly coding: Coding;
  readonly options: CheckOptions;
  readonly list: IssueList;
}

/** A coding with a version is compared with the part of this version alone. */
function hasCode(parts: readonly Part[], found: FoundCode, { version }: Coding): boolean {
  const [first] = parts;
  if (version !== undefined && first !== undefined) return isFoundIn(first, found);
  return parts.some((part) => isFoundIn(part, found));
}

interface FoundCode {
  readonly code: string;
  /** The place of the concept in the code system of the view; -1 for none. */
  readonly place: number;
  readonly view: SystemView;
}

/** Nearly always the part is of the code system in which the code was found, and need not find it again. */
function isFoundIn(part: Part, { code, place, view }: FoundCode): boolean {
  const isOfView = place !== -1 && part.kind === 'known' && part.view.model === view.model;
  return isOfView ? hasBit(part.bits, place) : isInPart(part, code);
}

function isInactiveOf(part: Part, { model }: SystemView, place: number): boolean {
  return (
    part.kind === 'known' && part.view.model === model && part.inactive !== undefined && hasBit(part.inactive, place)
  );
}

/** The code system is not known in any version: a grammar, the value set's own list, or nothing can be asked. */
function withoutView(check: Check, parts: readonly Part[] | undefined): Checked {
  const { coding, list } = check;
  const { system = '', code = '', version } = coding;
  const grammar = grammarOf(system);
  if (grammar !== undefined) return checkByGrammar(grammar, check, parts);
  const canonical = joinCanonical({ url: system, version });
  const named = isAbsolute(system) ? canonical : undefined;
  const unknown = (aim: string) => `A definition for CodeSystem '${canonical}' could not be found, so ${aim}`;
  const isListed = parts?.some((part) => part.kind === 'loose' && !part.isAllBut && isInPart(part, code)) === true;
  if (isListed) {
    list.add('warning', 'not-found', 'system', unknown('the code could be compared with the value set alone'));
    return checked(check, { unknownSystem: named });
  }
  if (parts === undefined || parts.some((part) => isInPart(part, code))) {
    list.add(
      'error',
      'not-found',
      'system',
      unknownCodeSystem({ url: system, version }, 'the code cannot be validated', []),
    );
    return checked(check, {
      isResolved: false,
      ...(parts === undefined ? { unknownSystem: named } : { cause: named }),
    });
  }
  list.add('error', 'not-found', 'system', unknownForeignSystem(canonical));
  return outside(check, { unknownSystem: named });
}

/** Checks a code of a system that a grammar defines: its form, and its membership in the value set. */
function checkByGrammar(grammar: CodeGrammar, check: Check, parts: readonly Part[] | undefined): Checked {
  const { coding, list, options } = check;
  const { system, code = '' } = coding;
  const isCode = grammar.holds(code);
  if (!isCode) {
    const message = `Unknown code '${code}' in the CodeSystem '${system}': it has ${grammar.expected}`;
    list.add('error', 'invalid-code', 'code', message);
  }
  const isInside = parts === undefined || (isCode && parts.some((part) => isInPart(part, code)));
  const more = isCode ? { display: grammar.displayOf(code, options.languages.tags) } : {};
  return isInside ? checked(check, more) : outside(check, more);
}

/** The place of the concept; -1, with an issue, when there is none. */
function findPlace({ model }: SystemView, { coding, options, list }: Check): number {
  const { code = '' } = coding;
  const { url, version, content } = model.meta;
  const exact = model.find(code);
  if (exact !== -1) return exact;
  const folded = model.findFolded(code);
  if (folded !== -1) {
    const right = model.code(folded);
    const message = `The code '${code}' differs from the correct code '${right}' by case. Although the code system '${joinCanonical({ url, version })}' is case insensitive, implementers are strongly encouraged to use the correct case anyway`;
    list.add('information', 'code-rule', 'code', message);
    return folded;
  }
  if (options.isMembershipOnly) return -1;
  const of = version === undefined ? `'${url}'` : `'${url}' version '${version}'`;
  if (model.isComplete) list.add('error', 'invalid-code', 'code', `Unknown code '${code}' in the CodeSystem ${of}`);
  else {
    const message = `Unknown Code '${code}' in the CodeSystem ${of} - note that the code system is labeled as a ${content}, so the code may be valid in some other ${content}`;
    list.addFound('code', { severity: 'warning', kind: 'invalid-code', message, isNotable: true });
  }
  return -1;
}

/** The coding is not in the value set; of a code system alone it is simply not valid. */
function outside(check: Check, more: More): Checked {
  const { coding, options, list } = check;
  if (options.contentFor !== undefined) {
    const message = `The provided code '${codingName(coding)}' was not found in the value set '${options.valueSetName}'`;
    const [severity, kind] = options.isOneOfMany
      ? (['information', 'this-code-not-in-vs'] as const)
      : (['error', 'not-in-vs'] as const);
    list.add(severity, kind, 'code', message);
  }
  return checked(check, more, false);
}

type More = Partial<Omit<Checked, 'coding' | 'issues' | 'isInside'>>;

function checked({ coding, list }: Check, more: More, isInside = true): Checked {
  return {
    coding,
    issues: list.issues,
    isInside,
    isResolved: more.isResolved ?? true,
    meta: more.meta,
    display: more.display,
    isInactive: more.isInactive ?? false,
    status: more.status,
    normalizedCode: more.normalizedCode,
    cause: more.cause,
    unknownSystem: more.unknownSystem,
  };
}
