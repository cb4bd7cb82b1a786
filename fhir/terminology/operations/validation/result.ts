// The Parameters that answer a validation.
import { type Parameters, parameter, parametersOf } from '../parameters.ts';
import type { Checked } from './check-coding.ts';
import type { CodingInputs } from './codings.ts';
import { firstIssues, hasError, type Issue, issuesResource, messageOf } from './issues.ts';

/** The answer for one coding. */
export function resultOfOne(checked: Checked, inputs: CodingInputs, remarks: readonly Issue[]): Parameters {
  const issues = [...inputs.issues, ...checked.issues, ...remarks];
  return answer(checked, { inputs, issues, all: [checked], isDescribed: true });
}

/**
 * The answer for a CodeableConcept: valid when one of its codings is in the value set, and none has an error.
 * @param valueSetName undefined for the codes of a code system
 */
export function resultOfConcept(
  all: readonly Checked[],
  inputs: CodingInputs,
  { remarks, valueSetName }: { readonly remarks: readonly Issue[]; readonly valueSetName: string | undefined },
): Parameters {
  const inside = all.find(({ isInside, isResolved }) => isInside && isResolved);
  const isUndecided = all.some(
    ({ cause, unknownSystem, isInside }) => isInside && (cause ?? unknownSystem) !== undefined,
  );
  const whole: Issue[] =
    inside !== undefined || isUndecided || valueSetName === undefined
      ? []
      : [
          {
            severity: 'error',
            kind: 'not-in-vs',
            message: `No valid coding was found for the value set '${valueSetName}'`,
            expression: undefined,
          },
        ];
  const issues = [...whole, ...all.flatMap((each) => each.issues), ...remarks];
  const isDescribed = inside !== undefined || valueSetName === undefined;
  return answer(inside ?? all[0], { inputs, issues, all, isDescribed });
}

interface Answer {
  readonly inputs: CodingInputs;
  readonly issues: readonly Issue[];
  readonly all: readonly Checked[];
  /** Whether the coding's members are in the answer. */
  readonly isDescribed: boolean;
}

const NONE: readonly never[] = [];

/** Whether the answer is that the coding is valid. */
export function isValidOf(checked: Checked | undefined, issues: readonly Issue[]): boolean {
  return checked?.isInside === true && !hasError(issues);
}

function answer(checked: Checked | undefined, { inputs, issues: found, all, isDescribed }: Answer): Parameters {
  const isValid = isValidOf(checked, found);
  const issues = firstIssues(found);
  const shown = isDescribed ? checked : undefined;
  const canonicals = (of: (each: Checked) => string | undefined): readonly string[] =>
    all.every((each) => of(each) === undefined) ? NONE : [...new Set(all.flatMap((each) => of(each) ?? []))];
  return parametersOf(
    parameter('result', 'Boolean', isValid),
    parameter('code', 'Code', shown?.coding.code),
    parameter('system', 'Uri', shown?.coding.system),
    parameter('version', 'String', shown?.meta?.version),
    parameter('display', 'String', shown?.display),
    parameter('normalized-code', 'Code', shown?.normalizedCode),
    shown?.isInactive === true ? parameter('inactive', 'Boolean', true) : undefined,
    parameter('status', 'Code', shown?.status),
    parameter('codeableConcept', 'CodeableConcept', inputs.concept),
    ...canonicals(({ cause }) => cause).map((each) => parameter('x-caused-by-unknown-system', 'Canonical', each)),
    ...canonicals(({ unknownSystem }) => unknownSystem).map((each) => parameter('x-unknown-system', 'Canonical', each)),
    parameter('message', 'String', messageOf(issues, isValid)),
    issues.length === 0 ? undefined : { name: 'issues', resource: issuesResource(issues) },
  );
}
