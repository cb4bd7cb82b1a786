// The parameters of an operation's answer as rows of names and texts.
import type { Coding, ParametersParameter } from 'fhir/r5';

export interface AnswerRow {
  readonly name: string;
  readonly text: string;
  /** Of a parameter that has parts. */
  readonly parts: readonly AnswerRow[];
}

/** Without those that are resources, which are shown as they are. */
export function rowsOf(parameters: readonly ParametersParameter[]): readonly AnswerRow[] {
  return parameters.flatMap((parameter) => {
    const { name, part = [], resource } = parameter;
    if (resource !== undefined) return [];
    return [{ name, text: textOf(parameter), parts: rowsOf(part) }];
  });
}

function textOf(parameter: ParametersParameter): string {
  const [, value] = Object.entries(parameter).find(([name]) => name.startsWith('value')) ?? [];
  if (value === undefined) return '';
  if (typeof value !== 'object' || value === null) return String(value);
  const { system, code, display } = value as Coding;
  if (code === undefined) return JSON.stringify(value);
  return [display, `${system === undefined ? '' : `${system}|`}${code}`].filter(Boolean).join(' · ');
}

/** Whether the answer is yes; undefined where it says neither. */
export function resultOf(parameters: readonly ParametersParameter[]): boolean | undefined {
  return parameters.find(({ name }) => name === 'result')?.valueBoolean;
}
