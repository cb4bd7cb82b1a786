// Validates a concept of a file (hl7.org/fhir/R5/codesystem-definitions.html#CodeSystem.concept) and reports every
// error.
import { type PrimitiveType, primitiveIssue } from '#fhir/primitives/primitives.ts';
import { type Json, objects } from '../json.ts';
import { PROPERTY_KINDS } from '../model/code-system-model.ts';

const MEMBERS = new Set(['code', 'display', 'definition', 'designation', 'property', 'concept']);
/** Members that are allowed and ignored. */
const IGNORED_MEMBERS = /^(?:_.+|id|extension|modifierExtension)$/;

const VALUES = PROPERTY_KINDS.map((kind) => ({
  member: `value${kind.charAt(0).toUpperCase()}${kind.slice(1)}`,
  type: kind === 'Coding' ? undefined : (kind satisfies PrimitiveType),
}));

/** @param more names of further members that the form of the file has */
export function issuesOfConcept(concept: Json, more: readonly string[] = []): string[] {
  const { code, display, definition, designation, property } = concept;
  const unknown = Object.keys(concept).filter(
    (name) => !MEMBERS.has(name) && !more.includes(name) && !IGNORED_MEMBERS.test(name),
  );
  return [
    ...unknown.map((name) => `${name} is no member of a concept`),
    ...(code === undefined ? ['code is missing'] : issueOf('code', 'code', code)),
    ...(display === undefined ? [] : issueOf('display', 'string', display)),
    ...(definition === undefined ? [] : issueOf('definition', 'markdown', definition)),
    ...issuesOfList('designation', designation, issuesOfDesignation),
    ...issuesOfList('property', property, issuesOfProperty),
  ];
}

function issueOf(name: string, type: PrimitiveType, value: unknown): string[] {
  const issue = primitiveIssue(type, value);
  return issue === undefined ? [] : [`${name} ${issue}`];
}

function issuesOfList(name: string, list: unknown, issuesOfItem: (item: Json) => string[]): string[] {
  if (list === undefined) return [];
  if (!Array.isArray(list)) return [`${name} must be a list`];
  return list.flatMap((item: unknown, index) => {
    const [object] = Array.isArray(item) ? [] : objects(item);
    const issues = object === undefined ? ['must be an object'] : issuesOfItem(object);
    return issues.map((issue) => `${name}[${index}] ${issue}`);
  });
}

function issuesOfDesignation({ language, use, value }: Json): string[] {
  return [
    ...(value === undefined ? ['has no value'] : issueOf('value', 'string', value)),
    ...(language === undefined ? [] : issueOf('language', 'code', language)),
    ...(use === undefined || (objects(use).length === 1 && !Array.isArray(use)) ? [] : ['use must be a Coding']),
  ];
}

function issuesOfProperty(property: Json): string[] {
  const given = Object.keys(property).filter((name) => name.startsWith('value'));
  const [name] = given;
  const kind = VALUES.find(({ member }) => member === name);
  const issues = property['code'] === undefined ? ['has no code'] : issueOf('code', 'code', property['code']);
  if (name === undefined) return [...issues, 'has no value'];
  if (given.length > 1) return [...issues, `has more than one value: ${given.join(', ')}`];
  if (kind === undefined) return [...issues, `${name} is no value that a property may have`];
  const value = property[name];
  if (kind.type !== undefined) return [...issues, ...issueOf(name, kind.type, value)];
  return Array.isArray(value) || objects(value).length === 0 ? [...issues, `${name} must be a Coding`] : issues;
}
