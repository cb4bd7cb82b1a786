// Whether a concept may be used: abstract, inactive, or deprecated, by the code system or by the value set.
import { text } from '../../json.ts';
import type { Coding } from '../../model/code-system-model.ts';
import { extensionValue, STANDARDS_STATUS, VALUE_SET_DEPRECATED } from '../../model/extensions.ts';
import type { CheckOptions } from './check-options.ts';
import type { IssueList } from './issue-list.ts';
import type { ConceptPlace } from './place.ts';

interface UseOptions {
  readonly list: IssueList;
  readonly options: CheckOptions;
  /** Whether the value set leaves it out because it is inactive. */
  readonly isDropped: boolean;
  /** The status of the concept, unless it is simply active. */
  readonly status: string | undefined;
}

/** Whether concepts of this status are better not used, although they are active. */
export function isDiscouraged(status: string | undefined): boolean {
  return status === 'deprecated' || status === 'withdrawn';
}

export function checkUse(at: ConceptPlace, coding: Coding, { list, options, isDropped, status }: UseOptions): void {
  const { view, place } = at;
  const { model } = view;
  const code = model.code(place);
  if (model.isAbstract(place) && !options.allowsAbstract) {
    list.add(
      'error',
      'code-rule',
      'code',
      `Code '${coding.system}#${code}' is abstract, and not allowed in this context`,
    );
  }
  if (isDropped) list.add('error', 'code-rule', 'code', `The concept '${code}' is valid but is not active`);
  const as = statusText(status, model.isInactive(place));
  if (as !== undefined) {
    const message = `The concept '${code}' has a status of ${as} and its use should be reviewed`;
    list.addOfCoding({ severity: 'warning', kind: 'code-comment', message, isNotable: true });
  }
  const marked = markedStatus(at);
  if (marked === undefined) return;
  const message = `The presence of the concept '${code}' in the system '${coding.system}' in the value set ${options.valueSetName} is marked with a status of ${marked} and its use should be reviewed`;
  list.add('warning', 'code-comment', 'code', message);
}

/** The status that speaks against the use of a concept; undefined for none. */
function statusText(status: string | undefined, isInactive: boolean): string | undefined {
  if (!isInactive) return isDiscouraged(status) ? status : undefined;
  return status === undefined || status === 'inactive' ? 'inactive' : `${status} and inactive`;
}

/** The status that the value set gives the code. */
function markedStatus({ listed }: ConceptPlace): string | undefined {
  if (listed === undefined || listed.extensions.length === 0) return undefined;
  const isDeprecated = String(extensionValue(listed.extensions, [VALUE_SET_DEPRECATED])) === 'true';
  const status = text(extensionValue(listed.extensions, [STANDARDS_STATUS]));
  if (isDeprecated) return 'deprecated';
  return isDiscouraged(status) ? status : undefined;
}
