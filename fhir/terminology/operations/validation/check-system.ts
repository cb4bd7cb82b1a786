// The code system of a coding: what is no code system, which version is meant, and what is said of it.

import { compareVersions } from '#fhir/primitives/business-version.ts';
import { type CodeSystemDefinition, fitsVersion, joinCanonical } from '../../catalog/catalog.ts';
import { type Content, isInPart, type Part } from '../../content/content.ts';
import { type SystemView, viewOf, viewOfDefinition } from '../../content/system-view.ts';
import { versionOf } from '../../content/version-matches.ts';
import { type ChosenVersion, chooseVersion, violatedCheck } from '../../content/version-table.ts';
import { newestMismatch, unallowedVersion, unknownCodeSystem, versionMismatch } from '../../messages.ts';
import type { Coding } from '../../model/code-system-model.ts';
import type { OperationContext } from '../context.ts';
import { isNameOf } from './check-display.ts';
import type { IssueList } from './issue-list.ts';

/** Reports a system that no coding can have; returns whether that says it all: a local reference is also unknown. */
export function reportNoSystem({ catalog }: OperationContext, system: string, list: IssueList): boolean {
  const report = (message: string): true => {
    list.add('error', 'invalid-data', 'system', message);
    return true;
  };
  if (!isAbsolute(system)) {
    report('Coding.system must be an absolute reference, not a local reference');
    return false;
  }
  const [supplement] = catalog
    .list('CodeSystem')
    .filter((each) => each.url === system && each.supplements !== undefined);
  if (supplement !== undefined) {
    const { url, version } = supplement;
    return report(
      `CodeSystem ${joinCanonical({ url, version })} is a supplement, so can't be used as a value in Coding.system`,
    );
  }
  if (catalog.valueSets(system).length === 0) return false;
  return report(`The Coding references a value set, not a code system ('${system}')`);
}

/** A local reference is no canonical. */
export function isAbsolute(system: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(system);
}

/** The parts of a value set with the coding's code system; the one that is compared comes first. */
export function partsOf(content: Content, { system, version, code = '', display }: Coding): readonly Part[] {
  const parts = content.filter((part) => part.system === system);
  if (parts.length < 2) return parts;
  const rank = (part: Part): number => {
    const isOfVersion = version !== undefined && fits(versionOf(part), version) ? 4 : 0;
    const isHolding = isInPart(part, code) ? 2 : 0;
    return isOfVersion + isHolding + (display !== undefined && isNamed(part, code, display) ? 1 : 0);
  };
  return [...parts].sort((a, b) => rank(b) - rank(a) || compareVersions(versionOf(b), versionOf(a)));
}

function fits(version: string | undefined, wanted: string): boolean {
  return version !== undefined && fitsVersion(version, wanted);
}

function isNamed(part: Part, code: string, display: string): boolean {
  if (part.kind === 'loose') return false;
  const place = part.view.model.find(code);
  return place !== -1 && isNameOf(display, { view: part.view, place, listed: part.listed.get(place) });
}

export interface FoundSystem {
  /** Undefined for an unknown code system. */
  readonly view: SystemView | undefined;
  /** Whether the wanted version is known: otherwise the view only serves to describe the code. */
  readonly isResolved: boolean;
  /** The canonical of the version that is unknown. */
  readonly unknown: string | undefined;
}

/** The version of the code system that is meant, with the issues of the version table. */
export function findSystem(
  context: OperationContext,
  coding: Coding,
  part: Part | undefined,
  list: IssueList,
): FoundSystem {
  const { catalog, rules } = context;
  const { system: url = '', version: given } = coding;
  const isPlain = given === undefined && rules.checked.size + rules.forced.size + rules.defaults.size === 0;
  if (isPlain && part?.kind === 'known') return { view: part.view, isResolved: true, unknown: undefined };
  if (isPlain && part === undefined) {
    const view = viewOf(catalog, url, undefined, rules.supplements);
    return { view, isResolved: true, unknown: undefined };
  }
  const known = catalog.codeSystems(url);
  // Outside of a value set the version of the coding is the one that is named.
  const question = part === undefined ? { url, named: given, given: undefined } : { url, named: part.named, given };
  const chosen = chooseVersion(known, rules, question);
  const view = viewOfChosen(context, chosen, part);
  reportVersions({ context, coding, part, list }, chosen);
  const used = view?.model.meta.version;
  const checked = violatedCheck(rules, url, used);
  if (checked !== undefined)
    list.add('error', 'version-error', 'version', unallowedVersion({ url, version: used }, checked));
  const isWantedUnknown = chosen.findings.includes('wanted-unknown');
  const isGivenUnknown = chosen.findings.includes('given-unknown');
  const missing = isWantedUnknown ? chosen.wanted : given;
  return {
    view,
    isResolved: !isWantedUnknown,
    unknown: isWantedUnknown || isGivenUnknown ? joinCanonical({ url, version: missing }) : undefined,
  };
}

function viewOfChosen(
  { catalog, rules }: OperationContext,
  { definition }: ChosenVersion<CodeSystemDefinition>,
  part: Part | undefined,
): SystemView | undefined {
  if (definition === undefined) return undefined;
  if (part?.kind === 'known' && part.view.model === definition.model()) return part.view;
  return viewOfDefinition(catalog, definition, rules.supplements);
}

interface Reported {
  readonly context: OperationContext;
  readonly coding: Coding;
  readonly part: Part | undefined;
  readonly list: IssueList;
}

function reportVersions(
  { context: { catalog }, coding, part, list }: Reported,
  { definition, findings, wanted, parameter }: ChosenVersion<CodeSystemDefinition>,
): void {
  const { system: url = '', version: given = '' } = coding;
  if (definition === undefined) return;
  const versions = catalog.codeSystems(url).flatMap((each) => each.version ?? []);
  for (const finding of findings) {
    switch (finding) {
      case 'wanted-unknown':
      case 'given-unknown': {
        const version = finding === 'wanted-unknown' ? wanted : given;
        list.add(
          'error',
          'not-found',
          'system',
          unknownCodeSystem({ url, version }, 'the code cannot be validated', versions),
        );
        break;
      }
      case 'differs': {
        const changed = parameter === undefined ? undefined : wanted;
        const named = part?.named ?? (changed === undefined ? wanted : undefined);
        list.add('error', 'vs-invalid', 'version', versionMismatch({ url, named, changed, given }));
        break;
      }
      case 'differs-from-newest':
        list.add('warning', 'vs-invalid', 'version', newestMismatch({ url, version: definition.version }, given));
        break;
      default:
        finding satisfies never;
    }
  }
}
