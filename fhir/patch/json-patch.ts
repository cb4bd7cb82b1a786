// JSON Patch (RFC 6902) of resources: all operations apply, or none. Numbers keep the text that they were written in.
import { type Issue, invalidRequest, ServiceError } from '#lib/errors.ts';
import { parseExactJson } from '../json/exact-json.ts';
import { parseJson } from '../resources/resource-text.ts';
import { copyJson, equalJson, isDeeperThan, isJsonObject, type JsonObject, MAX_DEPTH } from './json-tree.ts';

type Pointer = readonly string[];

type Operation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: Pointer; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: Pointer }
  | { readonly op: 'move' | 'copy'; readonly path: Pointer; readonly from: Pointer };

export type JsonPatch = readonly Operation[];

const MAX_OPERATIONS = 1000;
/**
 * The most characters that all copies of one patch may have: a few copies of copies would otherwise fill the memory.
 */
const MAX_COPIED = 10 * 1024 * 1024;
/** The most values that one patch may add or move, nested values included. */
const MAX_VISITED = 4_000_000;
const INDEX = /^(?:0|[1-9]\d{0,6})$/;

/** Reads the text of a patch document. @throws ServiceError `invalid_request` naming every error */
export function readJsonPatchText(text: string): JsonPatch {
  if (!isDeeperThan(parseJson(text), MAX_DEPTH)) return readJsonPatch(parseExactJson(text));
  throw invalidRequest([{ message: `The patch nests deeper than ${MAX_DEPTH} levels`, code: 'too-costly' }]);
}

/** Reads a patch document. @throws ServiceError `invalid_request` naming every invalid operation */
export function readJsonPatch(document: unknown): JsonPatch {
  if (!Array.isArray(document)) throw invalidRequest([{ message: 'A JSON Patch is an array of operations' }]);
  if (document.length > MAX_OPERATIONS)
    throw invalidRequest([{ message: `A JSON Patch has at most ${MAX_OPERATIONS} operations` }]);
  const issues: Issue[] = [];
  const operations = document.flatMap((item: unknown, index) => {
    const read = readOperation(item);
    if (typeof read !== 'string') return [read];
    issues.push({ message: `Operation ${index + 1}: ${read}`, field: `[${index}]`, code: 'structure' });
    return [];
  });
  if (issues.length > 0) throw invalidRequest(issues);
  return operations;
}

/**
 * The resource after all operations, applied in order; the given resource is not changed.
 * @throws ServiceError `unprocessable` when an operation cannot be applied or a test fails
 */
export function applyJsonPatch(resource: JsonObject, patch: JsonPatch): JsonObject {
  const root = { document: copyJson(resource), copied: 0, seen: 0 };
  patch.forEach((operation, index) => {
    const issue = applyOperation(root, operation);
    if (issue !== undefined) throw refused(`Operation ${index + 1} (${operation.op}): ${issue}`, `[${index}]`);
  });
  if (isJsonObject(root.document)) return root.document;
  throw refused('The patch leaves no resource');
}

/** The operation, or a message that says what is wrong with it. */
function readOperation(item: unknown): Operation | string {
  if (!isJsonObject(item)) return 'must be an object';
  const { op } = item;
  const path = readPointer(item['path']);
  if (path === undefined) return '"path" must be a JSON Pointer (RFC 6901)';
  switch (op) {
    case 'add':
    case 'replace':
    case 'test':
      return Object.hasOwn(item, 'value') ? { op, path, value: item['value'] } : '"value" is missing';
    case 'remove':
      return { op, path };
    case 'move':
    case 'copy': {
      const from = readPointer(item['from']);
      if (from === undefined) return '"from" must be a JSON Pointer (RFC 6901)';
      const isInside = op === 'move' && from.length < path.length && from.every((name, at) => name === path[at]);
      return isInside ? 'a value cannot be moved into itself' : { op, path, from };
    }
    default:
      return '"op" must be one of add, remove, replace, move, copy, test';
  }
}

function readPointer(text: unknown): Pointer | undefined {
  if (typeof text !== 'string' || /~(?![01])/.test(text)) return undefined;
  if (text === '') return [];
  if (!text.startsWith('/')) return undefined;
  const names = text
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  return names.includes('__proto__') ? undefined : names;
}

interface Root {
  document: unknown;
  /** The number of values that were visited to measure nesting depth. */
  seen: number;
  /** The number of characters copied within the document. */
  copied: number;
}

/** Applies the operation; returns a message when that is not possible. */
function applyOperation(root: Root, operation: Operation): string | undefined {
  switch (operation.op) {
    case 'add':
      return put(root, operation.path, copyJson(operation.value), 'add');
    case 'replace':
      return find(root, operation.path) === undefined
        ? 'there is nothing at the path'
        : put(root, operation.path, copyJson(operation.value), 'replace');
    case 'remove':
      return take(root, operation.path);
    case 'test': {
      const found = find(root, operation.path);
      if (found === undefined) return 'there is nothing at the path';
      return equalJson(found.value, operation.value) ? undefined : 'the value is another';
    }
    case 'copy': {
      const found = find(root, operation.from);
      return found === undefined ? 'there is nothing at "from"' : copyTo(root, operation.path, found.value);
    }
    case 'move': {
      const found = find(root, operation.from);
      if (found === undefined) return 'there is nothing at "from"';
      return take(root, operation.from) ?? put(root, operation.path, found.value, 'add');
    }
    default:
      return operation satisfies never;
  }
}

function copyTo(root: Root, path: Pointer, value: unknown): string | undefined {
  const text = JSON.stringify(value);
  root.copied += text.length;
  if (root.copied > MAX_COPIED) return `the patch copies more than ${MAX_COPIED} characters`;
  return put(root, path, parseExactJson(text), 'add');
}

function find(root: Root, path: Pointer): { readonly value: unknown } | undefined {
  let value = root.document;
  for (const name of path) {
    if (Array.isArray(value)) {
      if (!INDEX.test(name) || Number(name) >= value.length) return undefined;
      value = value[Number(name)];
    } else if (isJsonObject(value) && Object.hasOwn(value, name)) value = value[name];
    else return undefined;
  }
  return { value };
}

/** Puts a value there; nothing else may refer to that value. */
function put(root: Root, path: Pointer, value: unknown, how: 'add' | 'replace'): string | undefined {
  if (isDeeperThan(value, MAX_DEPTH - path.length, root)) return `the value would nest deeper than ${MAX_DEPTH} levels`;
  if (root.seen > MAX_VISITED) return 'the patch moves too much: put fewer large values elsewhere';
  const name = path.at(-1);
  if (name === undefined) {
    root.document = value;
    return undefined;
  }
  const parent = find(root, path.slice(0, -1))?.value;
  if (isJsonObject(parent)) {
    parent[name] = value;
    return undefined;
  }
  if (!Array.isArray(parent)) return 'what should hold the value is not there';
  const index = name === '-' ? parent.length : INDEX.test(name) ? Number(name) : Number.NaN;
  if (!(index <= parent.length)) return `there is no place ${name} in the list`;
  parent.splice(index, how === 'add' ? 0 : 1, value);
  return undefined;
}

function take(root: Root, path: Pointer): string | undefined {
  const name = path.at(-1);
  if (name === undefined) return 'the whole resource cannot be removed';
  if (find(root, path) === undefined) return 'there is nothing at the path';
  const parent = find(root, path.slice(0, -1))?.value;
  if (Array.isArray(parent)) parent.splice(Number(name), 1);
  else if (isJsonObject(parent)) delete parent[name];
  return undefined;
}

function refused(message: string, field?: string): ServiceError {
  const place = field === undefined ? {} : { field };
  return new ServiceError('unprocessable', message, { issues: [{ message, ...place, code: 'processing' }] });
}
