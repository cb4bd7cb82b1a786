// The answer to the validation of one coding as JSON text, the same as that of ./result.ts. Most of the time of a
// validation would go into building and reading objects.
import { TX_ISSUE_TYPE } from '#fhir/resources/operation-outcome.ts';
import { type JsonPiece, JsonWriter, jsonPiece } from '#lib/json/json-writer.ts';
import type { CodeSystemMeta, Coding } from '../../model/code-system-model.ts';
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
  writeSystem(coding, checked.meta);
  write(DISPLAY, checked.display);
  write(NORMALIZED, checked.normalizedCode);
  if (checked.isInactive) writer.piece(INACTIVE);
  write(STATUS, checked.status);
  write(CAUSE, checked.cause);
  write(UNKNOWN, checked.unknownSystem);
  const message = writeMessage(messageOf(issues, isValid));
  if (issues.length > 0) writeIssues(issues, message);
  writer.piece(END);
  return writer.written();
}

function write(begin: JsonPiece, value: string | undefined): void {
  if (value === undefined) return;
  writer.piece(begin);
  writer.string(value);
  writer.piece(END_OF_OBJECT);
}

const systems = new WeakMap<CodeSystemMeta, JsonPiece>();

/** The system and its version: nearly always those of a known code system. */
function writeSystem({ system }: Coding, meta: CodeSystemMeta | undefined): void {
  if (meta === undefined || meta.url !== system) {
    write(SYSTEM, system);
    write(VERSION, meta?.version);
    return;
  }
  let piece = systems.get(meta);
  if (piece === undefined) {
    const { url, version } = meta;
    const ofVersion = version === undefined ? '' : `,{"name":"version","valueString":${JSON.stringify(version)}}`;
    piece = jsonPiece(`,{"name":"system","valueUri":${JSON.stringify(url)}}${ofVersion}`);
    systems.set(meta, piece);
  }
  writer.piece(piece);
}

/** The message of the answer, and where its JSON string is in what has been written. */
interface WrittenMessage {
  readonly message: string | undefined;
  readonly start: number;
  readonly end: number;
}

function writeMessage(message: string | undefined): WrittenMessage {
  if (message === undefined) return { message, start: 0, end: 0 };
  writer.piece(MESSAGE);
  const start = writer.length;
  writer.string(message);
  const end = writer.length;
  writer.piece(END_OF_OBJECT);
  return { message, start, end };
}

function writeIssues(issues: readonly Issue[], written: WrittenMessage): void {
  const isUnknownCode = hasUnknownCode(issues);
  writer.piece(ISSUES);
  issues.forEach(({ severity, kind, message, expression }, at) => {
    if (at > 0) writer.piece(COMMA);
    writer.piece(SEVERITIES[severity]);
    writer.piece(KINDS[kind]);
    // Of most answers the only issue says what the message says.
    if (message === written.message) writer.repeat(written.start, written.end);
    else writer.string(message);
    writer.piece(END_OF_OBJECT);
    if (expression !== undefined) writePlace(expression, isInExpressionAlone(kind, isUnknownCode));
    writer.piece(END_OF_OBJECT);
  });
  writer.piece(END_OF_ISSUES);
}

interface PlacePieces {
  readonly alone: JsonPiece;
  readonly both: JsonPiece;
}

/** Those of members of a coding, which nearly every issue has. */
const PLACES: ReadonlyMap<string, PlacePieces> = new Map(
  ['', 'Coding.'].flatMap((path) =>
    ['code', 'system', 'version', 'display'].map((name) => [`${path}${name}`, placePieces(`${path}${name}`)] as const),
  ),
);

function placePieces(expression: string): PlacePieces {
  const list = JSON.stringify([expression]);
  return {
    alone: jsonPiece(`,"expression":${list}`),
    both: jsonPiece(`,"location":${list},"expression":${list}`),
  };
}

function writePlace(expression: string, isAlone: boolean): void {
  const { alone, both } = PLACES.get(expression) ?? placePieces(expression);
  writer.piece(isAlone ? alone : both);
}
