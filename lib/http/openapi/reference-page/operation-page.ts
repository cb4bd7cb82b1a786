// The page of one operation: who may call it, its parameters and body as a form that sends it, its responses.
import { html, type Markup } from '../../../html/html.ts';
import type { ApiDocument, DocumentedOperation } from '../described-api.ts';
import type { Operation } from '../openapi-examples.ts';
import { type ExampleCall, exampleCalls } from './example-calls.ts';
import { bodyFields, parameterFields } from './form-fields.ts';
import { resolver } from './resolve.ts';
import { plainText, renderSchema, type SchemaSource } from './schema-view.ts';

interface Site {
  readonly document: ApiDocument;
  /** Whether the service has sessions of its own, so that a browser can sign in to it. */
  readonly session: boolean;
}

/** The root of the service, from the page of an operation. */
const ROOT = '../..';

export function renderOperation(documented: DocumentedOperation, { document, session }: Site): Markup {
  const { method, path, summary, tag, id } = documented;
  const operation = documented.build();
  const resolve = resolver(document.find);
  const source = { resolve, isShape: document.isShape };
  const examples = exampleCalls(operation, resolve);
  return html`<nav aria-label="Breadcrumb"><a href="../">API reference</a> › <a href="../${encodeURIComponent(tag)}">${tag}</a></nav>
<h1>${plainText(summary)}</h1>
<p><code>${method.toUpperCase()} ${path}</code></p>
<p class="note">operationId <code>${id}</code></p>
${operation.description === undefined ? undefined : html`<p>${plainText(operation.description)}</p>`}
<h2>Credentials</h2>
${renderCredentials(operation, session)}
<h2>Request</h2>
<form id="try" method="get" action="${ROOT}/docs/" data-method="${method.toUpperCase()}" data-path="${path}" data-root="${ROOT}/" data-examples="${JSON.stringify(examples)}">
${examples.length < 2 ? undefined : renderChoice(examples)}
${parameterFields(operation, resolve)}
${bodyFields(operation, source)}
<p class="actions"><button class="button" type="submit" hidden>Send</button></p>
</form>
<section id="result" aria-labelledby="result-title" hidden><h2 id="result-title">Response</h2><p role="status"></p><div class="scroll" tabindex="0" role="region" aria-label="Body of the response"><pre><code></code></pre></div></section>
<details><summary>With curl</summary><div class="scroll" tabindex="0" role="region" aria-label="Command"><pre><code>${curlOf(documented, examples[0], kindsOf(operation))}</code></pre></div></details>
<h2>Responses</h2>
${renderResponses(operation, source)}`;
}

/** Names of the security schemes. */
function kindsOf({ security }: Pick<Operation, 'security'>): readonly string[] {
  return Array.isArray(security) ? security.flatMap((each: object) => Object.keys(each)) : [];
}

function renderCredentials({ security }: Operation, session: boolean): Markup {
  const kinds = kindsOf({ security });
  if (kinds.length === 0) return html`<p>None: anyone may call this.</p>`;
  const names = [
    ...(kinds.includes('bearer') ? ['a token of identity (Authorization: Bearer)'] : []),
    ...(kinds.includes('apiKey') ? ['an API key (X-API-Key)'] : []),
    ...(kinds.includes('serviceId') ? ['the credentials of a service'] : []),
  ];
  const signIn = session
    ? html`<p>A browser that has <a href="${ROOT}/auth/session" data-sign-in="${ROOT}/auth/login">signed in</a> needs no token.</p>`
    : undefined;
  return html`<p>One of: ${names.join('; ')}.</p>
${signIn}
<div class="field"><label for="token">Token or API key</label><input class="text" id="token" type="password" autocomplete="off" form="try" data-token><span class="hint">It stays on this page unless you keep it.</span>
<label class="option"><input type="checkbox" id="keep" data-keep>Keep it in this tab until it is closed</label></div>`;
}

function renderChoice(examples: readonly ExampleCall[]): Markup {
  const options = examples.map(({ summary }, index) => html`<option value="${String(index)}">${summary}</option>`);
  return html`<div class="field"><label for="example">Example</label><select class="text" id="example" data-example>${options}</select></div>`;
}

function curlOf(
  { method, path }: DocumentedOperation,
  example: ExampleCall | undefined,
  credentials: readonly string[],
): string {
  const { parameters = {}, body, bodyType = 'application/json' } = example ?? {};
  const named = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => parameters[name] ?? whole);
  const query = Object.entries(parameters).filter(([name]) => !path.includes(`{${name}}`));
  const search = query.length === 0 ? '' : `?${new URLSearchParams(query)}`;
  const lines = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"$SERVICE${named}${search}"`,
    ...(credentials.includes('bearer') ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: ${bodyType}'`, `--data '${body.replaceAll("'", String.raw`'\''`)}'`]),
  ];
  return lines.join(' \\\n  ');
}

interface Response {
  readonly description?: string;
  readonly content?: Readonly<Record<string, { readonly schema?: unknown; readonly examples?: object }>>;
}

function renderResponses({ responses = {} }: Operation, source: SchemaSource): Markup {
  const rows = Object.entries(responses).map(([status, response]) => {
    const { description = '', content = {} } = source.resolve<Response>(response);
    // Errors all have one shape; only a recorded one is shown.
    const isError = !/^[123]/.test(status);
    const types = Object.entries(content).filter(([, { examples }]) => !isError || examples !== undefined);
    return html`<dt><code>${status}</code></dt><dd>${plainText(description)}${types.map((each) => renderContent(status, each, source))}</dd>`;
  });
  return html`<dl>${rows}</dl>`;
}

function renderContent(
  status: string,
  [type, { schema, examples = {} }]: readonly [string, { readonly schema?: unknown; readonly examples?: object }],
  source: SchemaSource,
): Markup {
  const shown = Object.values(examples) as readonly { readonly value?: unknown }[];
  return html`<details><summary><code>${type}</code></summary>
${schema === undefined ? undefined : renderSchema(schema, source)}
${shown.map(({ value }, index) => html`<div class="scroll" tabindex="0" role="region" aria-label="Example ${index + 1} of ${status}, ${type}"><pre><code>${textOf(value)}</code></pre></div>`)}</details>`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
}
