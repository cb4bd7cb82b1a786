// The answer to the validation of one coding as JSON text, the same as that of ./result.ts. Most of the time of a
// validation would go into building and reading objects.
import { TX_ISSUE_TYPE } from '#fhir/resources/operation-outcome.ts';
import { type JsonPiece, JsonWriter, jsonPiece } from '#lib/json/json-writer.ts';
import type { Checked } from './check-coding.ts';
import type { CodingInputs } from './codings.ts';
import { CODES, type Issue, type IssueKind, isInExpressionAlone, messageOf } from './issues.ts';
import { isValidOf } from './result.ts';

const writer = new JsonWriter();

const RESULT: Readonly<Record<'true' | 'false', JsonPiece>> = {
  true: resultPiece(true),
  false: resultPiece(false),
};
const CODE = textPiece('code', 'Code');
const SYSTEM = textPiece('system', 'Uri');
const VERSION = textPiece('version', 'String');
const DISPLAY = textPiece('display', 'String');
const NORMALIZED = textPiece('normalized-code', 'Code');
const INACTIVE = jsonPiece(',{"name":"inactive","valueBoolean":true}');
const STATUS = textPiece('status', 'Code');
const CAUSE = textPiece('x-caused-by-unknown-system', 'Canonical');
const UNKNOWN = textPiece('x-unknown-system', 'Canonical');
const MESSAGE = textPiece('message', 'String');
const ISSUES = jsonPiece(',{"name":"issues","resource":{"resourceType":"OperationOutcome","issue":[');
const COMMA = jsonPiece(',');
const END_OF_PARAMETER = jsonPiece('}');
const END_OF_DETAILS = jsonPiece('}');
const END_OF_ISSUE = jsonPiece('}');
const END_OF_ISSUES = jsonPiece(']}}');
const END = jsonPiece(']}');
const LOCATION = jsonPiece(',"location":[');
const EXPRESSION = jsonPiece(',"expression":[');
const END_OF_PLACE = jsonPiece(']');

function resultPiece(result: boolean): JsonPiece {
  return jsonPiece(`{"resourceType":"Parameters","parameter":[{"name":"result","valueBoolean":${result}}`);
}

function textPiece(name: string, type: string): JsonPiece {
  return jsonPiece(`,{"name":"${name}","value${type}":`);
}

const SEVERITIES: Readonly<Record<Issue['severity'], JsonPiece>> = {
  error: jsonPiece('{"severity":"error"'),
  warning: jsonPiece('{"severity":"warning"'),
  information: jsonPiece('{"severity":"information"'),
};

/** From the code of an issue up to its text. */
const KINDS: ReadonlyMap<IssueKind, JsonPiece> = new Map(
  Object.entries(CODES).map(([kind, code]) => [
    kind as IssueKind,
    jsonPiece(`,"code":"${code}","details":{"coding":[{"system":"${TX_ISSUE_TYPE}","code":"${kind}"}],"text":`),
  ]),
);

/** The answer in UTF-8, valid until the next one. */
export function resultJsonOfOne(checked: Checked, inputs: CodingInputs, remarks: readonly Issue[]): Buffer {
  const issues = [...inputs.issues, ...checked.issues, ...remarks];
  const isValid = isValidOf(checked, issues);
  const { coding } = checked;
  writer.begin();
  writer.piece(RESULT[isValid ? 'true' : 'false']);
  write(CODE, coding.code);
  write(SYSTEM, coding.system);
  write(VERSION, checked.meta?.version);
  write(DISPLAY, checked.display);
  write(NORMALIZED, checked.normalizedCode);
  if (checked.isInactive) writer.piece(INACTIVE);
  write(STATUS, checked.status);
  write(CAUSE, checked.cause);
  write(UNKNOWN, checked.unknownSystem);
  write(MESSAGE, messageOf(issues, isValid));
  if (issues.length > 0) writeIssues(issues);
  writer.piece(END);
  return writer.written();
}

function write(begin: JsonPiece, value: string | undefined): void {
  if (value === undefined) return;
  writer.piece(begin);
  writer.string(value);
  writer.piece(END_OF_PARAMETER);
}

function writeIssues(issues: readonly Issue[]): void {
  writer.piece(ISSUES);
  issues.forEach((issue, at) => {
    if (at > 0) writer.piece(COMMA);
    const { severity, kind, message, expression } = issue;
    writer.piece(SEVERITIES[severity]);
    writer.piece(KINDS.get(kind) ?? COMMA);
    writer.string(message);
    writer.piece(END_OF_DETAILS);
    if (expression !== undefined) writePlace(expression, isInExpressionAlone(issue, issues));
    writer.piece(END_OF_ISSUE);
  });
  writer.piece(END_OF_ISSUES);
}

function writePlace(expression: string, isAlone: boolean): void {
  for (const begin of isAlone ? [EXPRESSION] : [LOCATION, EXPRESSION]) {
    writer.piece(begin);
    writer.string(expression);
    writer.piece(END_OF_PLACE);
  }
}
