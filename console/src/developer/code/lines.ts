// Lines of a JSON text: which one an issue of the validation is about.
import { type JsonNode, type Member, readTree } from './json-tree.ts';

/** From 1. */
export function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** The offsets of the first character of a line and of the one behind its last. */
export function rangeOfLine(text: string, line: number): readonly [number, number] {
  let start = 0;
  for (let passed = 1; passed < line; passed += 1) {
    const next = text.indexOf('\n', start);
    if (next === -1) break;
    start = next + 1;
  }
  const end = text.indexOf('\n', start);
  return [start, end === -1 ? text.length : end];
}

/**
 * The line of what a FHIRPath expression such as `Observation.value.code` or `Patient.name[0].given[1]` names; where it
 * is missing that of the nearest element around it. `text` is a resource in JSON.
 */
export function lineOfExpression(text: string, expression: string): number {
  return lineOf(text, offsetOf(readTree(text), expression));
}

/** The name of an element, then the index within it. Other functions than `extension()` are passed over. */
const STEP = /^([A-Za-z_]\w*)?((?:\[\d+\])*)$/;

function offsetOf(root: JsonNode, expression: string): number {
  let offset = root.start;
  let node = root;
  const [, ...steps] = expression
    .replaceAll(/\([^()]*\)/g, '()')
    .replaceAll('extension()', 'extension')
    .split('.');
  for (const step of steps) {
    const [, name = '', indexes = ''] = STEP.exec(step) ?? [];
    const member = name === '' ? undefined : memberOf(node, name);
    if (name !== '' && member === undefined) return offset;
    if (member !== undefined) {
      offset = member.at;
      node = member.value;
    }
    for (const [index] of indexes.matchAll(/\d+/g)) {
      const item = node.kind === 'array' ? node.items[Number(index)] : undefined;
      if (item === undefined) return offset;
      offset = item.start;
      node = item;
    }
  }
  return offset;
}

/** `value` is written as `valueQuantity`, and what is said of a primitive value as `_value`. */
function memberOf(node: JsonNode, name: string): Member | undefined {
  const within = node.kind === 'array' ? node.items[0] : node;
  if (within?.kind !== 'object') return undefined;
  const { members } = within;
  const choice = [...members.keys()].find((each) => each.startsWith(name) && /^[A-Z]/.test(each.slice(name.length)));
  return members.get(name) ?? members.get(choice ?? '') ?? members.get(`_${name}`);
}
