// Reads the Parameters resource that an operation on terminology answers.

export type Part = { readonly name: string; readonly part?: readonly Part[]; readonly [member: string]: unknown };

export interface Answered {
  readonly parameter?: readonly Part[];
}

/** The value of a parameter, whatever its type; undefined where there is none. */
export function parameterOf({ parameter }: Answered, name: string): unknown {
  const found = parameter?.find((each) => each.name === name);
  return Object.entries(found ?? {}).find(([member]) => member.startsWith('value'))?.[1];
}

/** The issues of a validation, each as its severity and its code in HL7's tx-issue-type. */
export function issueKinds({ parameter }: Answered): string[] {
  const outcome = parameter?.find(({ name }) => name === 'issues')?.['resource'] as
    | { issue: { severity: string; details: { coding: { code: string }[] } }[] }
    | undefined;
  return (outcome?.issue ?? []).map(({ severity, details }) => `${severity} ${details.coding[0]?.code}`);
}
