// Checks extensions with a known definition: their content, where they may be used, and whether they belong in
// `modifierExtension` (hl7.org/fhir/R5/defining-extensions.html). HL7's package of extensions is newer than R5: too
// many repetitions, which it has narrowed, give only a warning.
import type { Issue } from '#lib/errors.ts';
import { type ExtensionHost, isJsonObject, type JsonObject, type ValidationContext } from '../validation/context.ts';
import { checkElement, checkItem } from './check.ts';
import { checkProfile } from './claims.ts';
import { elementOf, typedItem } from './items.ts';
import type { Profile } from './profile.ts';
import { type Run, report } from './run.ts';

const MEMBERS = ['extension', 'modifierExtension'] as const;
const OFFICIAL = 'http://hl7.org/fhir/StructureDefinition/';
/** From a later edition than R5, whose own definitions and examples use them at other places. */
const USED_ELSEWHERE: ReadonlySet<string> = new Set(
  ['cqf-qualityOfEvidence', 'cqf-strengthOfRecommendation', 'regex'].map((name) => OFFICIAL + name),
);
/**
 * Within an expansion an extension is repeated from the code in its code system or value set. What is wrong with its
 * content or place is wrong there already, and a client that expands cannot correct that.
 */
const REPEATING = 'ValueSet.expansion.';
/** R5's generated Questionnaires use codes in it beyond the resource types that it allows. */
const OTHER_CODES: ReadonlySet<string> = new Set([`${OFFICIAL}questionnaire-referenceResource`]);
/** Interfaces of many resource types, which do not derive from them. */
const INTERFACES: ReadonlySet<string> = new Set(['CanonicalResource', 'MetadataResource']);

/** Checks the extensions of a resource or element at the current place. */
export function checkExtensions(context: ValidationContext, host: ExtensionHost, value: JsonObject): void {
  for (const member of MEMBERS) {
    const list = value[member];
    if (!Array.isArray(list)) continue;
    const counts = new Map<Profile, number>();
    for (const [index, extension] of list.entries()) {
      const profile = isJsonObject(extension) ? definitionOf(context, extension) : undefined;
      if (!isJsonObject(extension) || profile === undefined) continue;
      const count = (counts.get(profile) ?? 0) + 1;
      counts.set(profile, count);
      context.path.push(member, index);
      checkUse(context, profile, { host, member, count, holder: value });
      checkContent(context, profile, { host, extension });
      context.path.length -= 2;
    }
  }
}

function definitionOf({ profiles }: ValidationContext, { url }: JsonObject): Profile | undefined {
  if (typeof url !== 'string' || !url.includes(':')) return undefined;
  const profile = profiles.registry.find(url);
  return profile?.type === 'Extension' ? profile : undefined;
}

function isOfficial({ url }: Profile): boolean {
  return url.startsWith(OFFICIAL);
}

function checkContent(
  context: ValidationContext,
  profile: Profile,
  { host, extension }: { readonly host: ExtensionHost; readonly extension: JsonObject },
): void {
  const check = () => checkProfile(context, profile, typedItem(context.definitions, extension, 'Extension'));
  if (isRepeated(host)) context.issues.softened(asWarning, check);
  else if (OTHER_CODES.has(profile.url)) context.issues.softened(withCodesAsWarnings, check);
  else check();
}

function isRepeated({ path }: ExtensionHost): boolean {
  return path.startsWith(REPEATING);
}

function asWarning(issue: Issue): Issue {
  return issue.severity === 'error' || issue.severity === undefined ? { ...issue, severity: 'warning' } : issue;
}

function withCodesAsWarnings(issue: Issue): Issue {
  return issue.code === 'code-invalid' ? { ...issue, severity: 'warning' } : issue;
}

interface Use {
  readonly host: ExtensionHost;
  readonly holder: JsonObject;
  readonly member: (typeof MEMBERS)[number];
  /** The number of extensions with this URL so far. */
  readonly count: number;
}

function checkUse(context: ValidationContext, profile: Profile, use: Use): void {
  const run: Run = { context, profile, slice: undefined, checkItem, checkElement };
  const { isModifier = false, root } = profile;
  if (isModifier !== (use.member === 'modifierExtension')) {
    report(run, { code: 'structure', message: `belongs into ${isModifier ? 'modifierExtension' : 'extension'}` });
  }
  if (profile.isForOthers === true) {
    const message = 'is an extension for other versions of FHIR than R5';
    report(run, { code: 'structure', message, ...(isOfficial(profile) ? { severity: 'warning' } : {}) });
  }
  if (root.max !== undefined && use.count > root.max) {
    report(run, {
      code: 'structure',
      message: `is an extension that may be there ${root.max} time(s) only`,
      ...(isOfficial(profile) ? { severity: 'warning' } : {}),
    });
  }
  if (isAllowedAt(context, use, profile)) return;
  const isWarning = USED_ELSEWHERE.has(profile.url) || isRepeated(use.host);
  const weight = isWarning ? ({ severity: 'warning' } as const) : {};
  const places = (profile.context ?? []).map(({ expression }) => expression).join(', ');
  report(run, { code: 'structure', message: `is an extension that may be used in ${places} only`, ...weight });
}

function isAllowedAt(context: ValidationContext, { host, holder }: Use, profile: Profile): boolean {
  if (profile.context === undefined) return true;
  const names = placesOf(context, host);
  return profile.context.some(({ type, expression }) => {
    if (type === 'fhirpath') return true;
    if (type === 'extension') return isWithin(context, host, holder, expression);
    return isPlace(context, expression, names, host);
  });
}

/** Within the extension itself; inside its value, the extension's URL is not known here. */
function isWithin({ path }: ValidationContext, host: ExtensionHost, { url }: JsonObject, expression: string): boolean {
  if (host.type !== 'Extension') return path.slice(0, -2).includes('extension');
  return typeof url === 'string' && (url === expression.split('#', 1)[0] || !url.includes(':'));
}

function isPlace(
  { definitions, resource }: ValidationContext,
  expression: string,
  names: ReadonlySet<string>,
  { type, shape }: ExtensionHost,
): boolean {
  if (names.has(expression) || definitions.isKindOf(type, expression) || definitions.isKindOf(shape, expression))
    return true;
  if (INTERFACES.has(expression)) {
    const own = type === resource['resourceType'] ? definitions.shape(type) : undefined;
    return own !== undefined && elementOf(own, 'url') !== undefined && elementOf(own, 'status') !== undefined;
  }
  // Contexts that R5 does not define are not checked.
  return definitions.kindOf(expression) === undefined && definitions.element(expression) === undefined;
}

/** The paths of an element: in its type and in its resource; a choice also by its type. */
function placesOf({ path, resource }: ValidationContext, { path: ownPath, type, shape }: ExtensionHost): Set<string> {
  const names = path.slice(0, -2).filter((step) => typeof step === 'string');
  const start = Math.max(names.lastIndexOf('resource'), names.lastIndexOf('contained'));
  const inResource = [String(resource['resourceType']), ...names.slice(start + 1 || 1)].join('.');
  const choice = ownPath.replace(/\[x\]$/, type.charAt(0).toUpperCase() + type.slice(1));
  return new Set([ownPath, choice, ownPath.replace(/\[x\]$/, ''), inResource, `${inResource}[x]`, shape, type]);
}
