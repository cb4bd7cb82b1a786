// Writes the types of the console's API calls from a service's OpenAPI document. Only the addresses that the console
// uses are in them (src/api/used-paths.json), so that other changes of an API change nothing here.
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import ts from 'typescript';
import usedPaths from '../src/api/used-paths.json' with { type: 'json' };

export type DescribedService = keyof typeof usedPaths;

/** TypeScript with `paths` and `components`. @throws Error for an address that the document lacks */
export async function apiTypes(service: DescribedService, document: unknown): Promise<string> {
  const known = document as OpenAPI3 & { paths: Record<string, unknown> };
  const paths = usedPaths[service].map((name) => {
    const path = known.paths[name];
    if (path === undefined) throw new Error(`${service} has no address ${name}`);
    return [name, withoutTexts(usedOf(path))] as const;
  });
  const head =
    '// Written from the OpenAPI document of the service by KEDJA_WRITE_EXAMPLES=1 npm test -- test/openapi/\n';
  const schema = { ...known, paths: Object.fromEntries(paths), components: componentsOf(paths, known) } as OpenAPI3;
  return head + (await typesOf(schema));
}

/** TypeScript of a document. @throws Error for a reference that leads nowhere */
export async function typesOf(document: object): Promise<string> {
  // A member with a default is required only where the document says so: a request may leave it out.
  const options = { alphabetize: true, excludeDeprecated: true, defaultNonNullable: false };
  return astToString((await openapiTS(document as OpenAPI3, options)).map(withoutAbsent));
}

/**
 * What the console uses of an address. Errors are left out, as `src/api/problem.ts` reads them all alike. So are the
 * headers that say for whom a request is made, which `src/api/acting.ts` adds.
 */
function usedOf(methods: unknown): unknown {
  const kept = Object.entries(methods as Readonly<Record<string, Operation>>).map(([method, operation]) => {
    const { parameters = [], responses = {} } = operation;
    const successes = Object.entries(responses).filter(([status]) => /^[123]/.test(status));
    const asked = parameters.filter(({ $ref = '' }) => !FOR_WHOM.test($ref));
    return [method, { ...operation, parameters: asked, responses: Object.fromEntries(successes) }];
  });
  return Object.fromEntries(kept);
}

const FOR_WHOM = /\/(KedjaOrganisation|KedjaPatient)$/;

interface Operation {
  readonly parameters?: readonly { readonly $ref?: string }[];
  readonly responses?: Readonly<Record<string, unknown>>;
}

/**
 * The type without what says nothing: members that are absent, headers of responses, which nobody reads, and comments
 * that call a union of literals an enum. A type with one member is on one line.
 */
function withoutAbsent<Node extends ts.Node>(node: Node): Node {
  const visit = (each: ts.Node): ts.Node => {
    if (!ts.isTypeLiteralNode(each)) return ts.visitEachChild(each, visit, undefined);
    const members = each.members
      .filter((member) => !isAbsent(member, each))
      .map((member) => withoutEnumComment(ts.visitEachChild(member, visit, undefined)));
    const type = ts.factory.createTypeLiteralNode(members);
    return members.length < 2 ? ts.setEmitFlags(type, ts.EmitFlags.SingleLine) : type;
  };
  return ts.visitEachChild(node, visit, undefined);
}

/** That a response has no content is said: without it, its content could be anything. */
function isAbsent(member: ts.TypeElement, { members }: ts.TypeLiteralNode): boolean {
  const name = nameOf(member);
  const has = (other: string) => members.some((each) => nameOf(each) === other);
  if (name === 'headers') return has('content');
  // An address has none of its own: they are those of its operations.
  if (name === 'parameters' && !has('responses')) return true;
  const type = ts.isPropertySignature(member) ? member.type : undefined;
  return name !== 'content' && type?.kind === ts.SyntaxKind.NeverKeyword;
}

function nameOf({ name }: ts.TypeElement): string {
  return name !== undefined && ts.isIdentifier(name) ? name.text : '';
}

function withoutEnumComment(member: ts.TypeElement): ts.TypeElement {
  const comments = ts.getSyntheticLeadingComments(member) ?? [];
  return ts.setSyntheticLeadingComments(
    member,
    comments.filter(({ text }) => !text.includes('@enum')),
  );
}

/** The components that the paths refer to, and those that these refer to. */
function componentsOf(paths: unknown, document: OpenAPI3): OpenAPI3['components'] {
  const all = (document.components ?? {}) as Record<string, Record<string, unknown>>;
  const kept: Record<string, Record<string, unknown>> = {};
  const visit = (value: unknown): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(value).matchAll(/#\/components\/(\w+)\/([\w.-]+)/g)) {
      if (kept[kind]?.[name] !== undefined || all[kind]?.[name] === undefined) continue;
      const component = withoutTexts(all[kind][name]);
      kept[kind] = { ...kept[kind], [name]: component };
      visit(component);
    }
  };
  visit(paths);
  return kept as OpenAPI3['components'];
}

const TEXTS: ReadonlySet<string> = new Set(['description', 'summary', 'title', 'example', 'examples']);

/** Types say nothing of descriptions and examples, and these change often. Members of those names stay. */
function withoutTexts(value: unknown, isMembers = false): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutTexts(each));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => isMembers || !TEXTS.has(name));
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutTexts(inner, name === 'properties')]));
}
