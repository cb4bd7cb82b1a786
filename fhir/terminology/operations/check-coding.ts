// Validates one coding: whether its system and the value set have the code, whether its display is right, and whether
// it is active.
import { joinCanonical } from '../catalog/catalog.ts';
import { type CodeGrammar, grammarOf } from '../content/code-grammars.ts';
import { type Content, isInPart, type KnownPart } from '../content/content.ts';
import { designationsOf, type SystemView, viewOf } from '../content/system-view.ts';
import { reportedVersions, systemVersion } from '../content/version-rules.ts';
import type { Coding } from '../model/code-system-model.ts';
import type { OperationContext } from './context.ts';
import { hasError, type Issue, type IssueKind } from './issues.ts';
import { nameIn } from './languages.ts';

export interface CheckOptions {
  /** The content that must have the code; undefined for all codes of its system. */
  readonly content: Content | undefined;
  /** The name of the value set in messages. */
  readonly valueSetName: string;
  /** Whether a wrong display is only a warning. */
  readonly isLenient: boolean;
  /** Whether only membership in the value set is checked. */
  readonly isMembershipOnly: boolean;
  readonly allowsAbstract: boolean;
  readonly wantsActive: boolean;
  /** Whether it is one of several codings, of which one must be valid. */
  readonly isOneOfMany: boolean;
}

export interface Checked {
  readonly coding: Coding;
  readonly issues: readonly Issue[];
  readonly isValid: boolean;
  /** Undefined for an unknown system or code. */
  readonly display: string | undefined;
  readonly version: string | undefined;
  readonly isInactive: boolean;
  readonly unknownSystem: string | undefined;
}

interface Place {
  readonly view: SystemView;
  readonly place: number;
}

/** `path` is the FHIRPath of the coding: `Coding`, `CodeableConcept.coding[0]`, or empty for bare parameters. */
export function checkCoding(context: OperationContext, coding: Coding, path: string, options: CheckOptions): Checked {
  const issues: Issue[] = [];
  const report = (severity: Issue['severity'], kind: IssueKind, member: string, message: string): void => {
    issues.push({ severity, kind, message, expression: path === '' ? member : `${path}.${member}` });
  };
  const { system, code = '' } = coding;
  if (system === undefined) {
    report(
      'error',
      'invalid-data',
      'system',
      'Coding has no system. A code with no system has no defined meaning, and it cannot be validated. A system should be provided',
    );
    return checked(coding, issues, {});
  }
  const { used: version, issue } = reportedVersions(context.rules, (rules) =>
    systemVersion(rules, system, coding.version),
  );
  if (issue !== undefined) report('error', 'version-error', 'version', issue);
  const parts = options.content?.filter((part) => part.system === system);
  const pinned = coding.version === undefined ? viewInSet(parts, code) : undefined;
  const view = pinned ?? viewOf(context.catalog, system, version);
  const grammar = view === undefined ? grammarOf(system) : undefined;
  if (grammar !== undefined) return checkByGrammar(grammar, coding, { report, issues, parts, options });
  if (view === undefined) {
    const isListed = parts?.some((part) => part.kind === 'loose' && !part.isAllBut && isInPart(part, code)) === true;
    reportUnknownSystem(report, {
      canonical: joinCanonical({ url: system, version }),
      isListed,
      versions: versionsOf(context, system),
    });
    return checked(coding, issues, { unknownSystem: joinCanonical({ url: system, version }) });
  }
  const place = findPlace(view, coding, report);
  const other = coding.version === undefined ? undefined : pinnedOtherwise(parts, code, view);
  if (other !== undefined) {
    const message = `The code system '${system}' version '${other.view.model.meta.version}' in the ValueSet include is different to the one in the value ('${coding.version}')`;
    report('error', 'vs-invalid', 'version', message);
  }
  if (parts !== undefined && !parts.some((part) => isInPart(part, place === -1 ? code : view.model.code(place)))) {
    reportNotInValueSet(report, coding, options);
    return { ...checked(coding, issues, place === -1 ? {} : describe(context, { view, place })), isValid: false };
  }
  if (place === -1) return checked(coding, issues, { version: view.model.meta.version });
  if (!options.isMembershipOnly) checkUse({ view, place }, coding, { context, options, report });
  return checked(coding, issues, describe(context, { view, place }));
}

/** The view of a coding without a version is the one that the value set uses. */
function viewInSet(parts: Content | undefined, code: string): SystemView | undefined {
  const known = parts?.filter((part) => part.kind !== 'loose');
  return (known?.find((part) => isInPart(part, code)) ?? known?.[0])?.view;
}

/**
 * The part that has the code, when none has the coding's own version. Every part with the code then has a version that
 * the value set names.
 */
function pinnedOtherwise(parts: Content | undefined, code: string, { model }: SystemView): KnownPart | undefined {
  const holding = parts?.filter((part) => isInPart(part, code)) ?? [];
  const pinned = holding.flatMap((part) => (part.kind === 'known' && part.isPinned ? [part] : []));
  const isFitting = pinned.length < holding.length || pinned.some((part) => part.view.model === model);
  return isFitting ? undefined : pinned[0];
}

interface Unlisted {
  readonly report: ReportIssue;
  readonly issues: readonly Issue[];
  readonly parts: Content | undefined;
  readonly options: CheckOptions;
}

/**
 * Checks a code of a system that a grammar defines: its form, and its membership in the value set. Such codes have no
 * displays here.
 */
function checkByGrammar(
  { expected, holds }: CodeGrammar,
  coding: Coding,
  { report, issues, parts, options }: Unlisted,
): Checked {
  const { system, code = '' } = coding;
  const isCode = holds(code);
  if (!isCode)
    report('error', 'invalid-code', 'code', `Unknown code '${code}' in the CodeSystem '${system}': it has ${expected}`);
  const isInside = parts === undefined || (isCode && parts.some((part) => isInPart(part, code)));
  if (!isInside) reportNotInValueSet(report, coding, options);
  const result = checked(coding, issues, {});
  return isInside ? result : { ...result, isValid: false };
}

function reportNotInValueSet(report: ReportIssue, coding: Coding, { isOneOfMany, valueSetName }: CheckOptions): void {
  const message = `The provided code '${codingName(coding)}' was not found in the value set '${valueSetName}'`;
  report(isOneOfMany ? 'information' : 'error', isOneOfMany ? 'this-code-not-in-vs' : 'not-in-vs', 'code', message);
}

type ReportIssue = (severity: Issue['severity'], kind: IssueKind, member: string, message: string) => void;

interface UnknownSystem {
  readonly canonical: string;
  /** Whether the value set lists the code itself. */
  readonly isListed: boolean;
  /** Known versions of the same code system. */
  readonly versions: readonly string[];
}

function reportUnknownSystem(report: ReportIssue, { canonical, isListed, versions }: UnknownSystem): void {
  const others = versions.length === 0 ? '' : `. Valid versions: ${versions.map((each) => `'${each}'`).join(', ')}`;
  const [severity, outcome] = isListed
    ? (['warning', 'so that the code could be compared with the value set alone'] as const)
    : (['error', 'so the code cannot be validated'] as const);
  const message = `A definition for CodeSystem '${canonical}' could not be found, ${outcome}${others}`;
  report(severity, 'not-found', 'system', message);
}

function versionsOf({ catalog }: OperationContext, system: string): string[] {
  return catalog.codeSystems(system).flatMap(({ version }) => version ?? []);
}

/** The place of the concept; -1, with an issue, when there is none. */
function findPlace({ model }: SystemView, coding: Coding, report: ReportIssue): number {
  const { code = '' } = coding;
  const { url, version, content } = model.meta;
  const exact = model.find(code);
  if (exact !== -1) return exact;
  const folded = model.findFolded(code);
  if (folded !== -1) {
    const right = model.code(folded);
    const message = `The code '${code}' differs from the correct code '${right}' by case. Although the code system '${url}' is case insensitive, implementers are strongly encouraged to use the correct case anyway`;
    report('information', 'code-rule', 'code', message);
    return folded;
  }
  const of = version === undefined ? `'${url}'` : `'${url}' version '${version}'`;
  if (model.isComplete) report('error', 'invalid-code', 'code', `Unknown code '${code}' in the CodeSystem ${of}`);
  else
    report(
      'warning',
      'invalid-code',
      'code',
      `Unknown code '${code}' in the CodeSystem ${of} - note that the code system is labeled as ${content}, so the code may be valid all the same`,
    );
  return -1;
}

function checkUse(
  { view, place }: Place,
  coding: Coding,
  {
    context,
    options,
    report,
  }: { readonly context: OperationContext; readonly options: CheckOptions; readonly report: ReportIssue },
): void {
  const { model } = view;
  const name = codingName(coding);
  if (model.isAbstract(place) && !options.allowsAbstract) {
    report('error', 'code-rule', 'code', `Code '${name}' is abstract, and not allowed in this context`);
  }
  if (model.isInactive(place)) {
    if (options.wantsActive) report('error', 'code-rule', 'code', `The code '${name}' is valid but is not active`);
    else
      report(
        'warning',
        'code-comment',
        'code',
        `The concept '${coding.code}' has a status of inactive and its use should be reviewed`,
      );
  }
  if (coding.display === undefined) return;
  const right = namesOf({ view, place });
  const given = foldSpace(coding.display);
  if (right.some((each) => foldSpace(each) === given)) return;
  const shown = displayOf(context, { view, place }) ?? model.code(place);
  const choices =
    right.length > 1
      ? `one of ${right.length} choices: ${right
          .slice(0, 10)
          .map((each) => `'${each}'`)
          .join(', ')}`
      : `'${shown}'`;
  const message = `Wrong Display Name '${coding.display}' for ${name}. Valid display is ${choices}`;
  report(options.isLenient ? 'warning' : 'error', 'invalid-display', 'display', message);
}

/** All names of the concept. */
function namesOf({ view, place }: Place): string[] {
  const display = view.model.display(place);
  const names = designationsOf(view, place).map(({ value }) => value);
  return [...new Set(display === undefined ? names : [display, ...names])];
}

/** Displays are compared without case and repeated spaces. */
function foldSpace(display: string): string {
  return display.trim().replaceAll(/\s+/g, ' ').toLowerCase();
}

function codingName({ system, version, code }: Coding): string {
  return `${joinCanonical({ url: system ?? '', version })}#${code}`;
}

function displayOf(context: OperationContext, { view, place }: Place): string | undefined {
  const { model } = view;
  return nameIn(context.languages, {
    display: model.display(place),
    language: model.meta.language,
    designations: designationsOf(view, place),
  });
}

function describe(context: OperationContext, at: Place): Partial<Checked> {
  const { model } = at.view;
  return { display: displayOf(context, at), version: model.meta.version, isInactive: model.isInactive(at.place) };
}

function checked(coding: Coding, issues: readonly Issue[], more: Partial<Checked>): Checked {
  return {
    coding,
    issues,
    isValid: !hasError(issues),
    display: undefined,
    version: undefined,
    isInactive: false,
    unknownSystem: undefined,
    ...more,
  };
}
