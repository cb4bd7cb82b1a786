// The answer to the validation of one coding as JSON text, the same as that of ./result.ts. Most of the time of a
// validation would go into building and reading objects.
import { TX_ISSUE_TYPE } from '#fhir/resources/operation-outcome.ts';
import { type JsonPiece, JsonWriter, jsonPiece } from '#lib/json/json-writer.ts';
import type { Checked } from './check-coding.ts';
import type { CodingInputs } from './codings.ts';
import { CODES, hasUnknownCode, type Issue, type IssueKind, isInExpressionAlone, messageOf } from './issues.ts';
import { isValidOf } from './result.ts';

const writer = new JsonWriter();

const VALID = resultPiece(true);
const INVALID = resultPiece(false);
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
const END_OF_OBJECT = jsonPiece('}');
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
const KINDS = Object.fromEntries(
  Object.entries(CODES).map(([kind, code]) => [
    kind,
    jsonPiece(`,"code":"${code}","details":{"coding":[{"system":"${TX_ISSUE_TYPE}","code":"${kind}"}],"text":`),
  ]),
) as Readonly<Record<IssueKind, JsonPiece>>;

/** The answer in UTF-8, valid until the next one. */
export function resultJsonOfOne(checked: Checked, inputs: CodingInputs, remarks: readonly Issue[]): Buffer {
  const issues = [...inputs.issues, ...checked.issues, ...remarks];
  const isValid = isValidOf(checked, issues);
  const { coding } = checked;
  writer.begin();
  writer.piece(isValid ? VALID : INVALID);
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
  writer.piece(END_OF_OBJECT);
}

function writeIssues(issues: readonly Issue[]): void {
  const isUnknownCode = hasUnknownCode(issues);
  writer.piece(ISSUES);
  issues.forEach(({ severity, kind, message, expression }, at) => {
    if (at > 0) writer.piece(COMMA);
    writer.piece(SEVERITIES[severity]);
    writer.piece(KINDS[kind]);
    writer.string(message);
    writer.piece(END_OF_OBJECT);
    if (expression !== undefined) writePlace(expression, isInExpressionAlone(kind, isUnknownCode));
    writer.piece(END_OF_OBJECT);
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
