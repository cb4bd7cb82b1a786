// The fields of an operation's form: its parameters and its body.
import { html, type Markup } from '../../../html/html.ts';
import type { Operation } from '../openapi-examples.ts';
import type { Resolve } from './resolve.ts';
import { plainText, renderSchema, type Schema, type SchemaSource, typeText } from './schema-view.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

const PLACES: Readonly<Record<string, string>> = { path: 'in the address', query: 'in the query', header: 'header' };
/** A type's search has dozens of parameters: the further ones are folded. */
const SHOWN = 8;

export function parameterFields({ parameters = [] }: Operation, resolve: Resolve): Markup {
  const all = parameters.map((each) => resolve<Parameter>(each));
  const fields = all.map((parameter, index) => renderField(parameter, index, resolve));
  if (fields.length <= SHOWN) return html`${fields}`;
  return html`${fields.slice(0, SHOWN)}<details><summary>${fields.length - SHOWN} more parameters</summary>${fields.slice(SHOWN)}</details>`;
}

function renderField(
  { name, in: place, required, description, schema }: Parameter,
  index: number,
  resolve: Resolve,
): Markup {
  const id = `parameter-${index}`;
  const optional = required === true ? undefined : html` <span class="optional">(optional)</span>`;
  const hint = [PLACES[place], typeText(schema ?? {}, resolve), description && plainText(description)]
    .filter(Boolean)
    .join('; ');
  return html`<div class="field"><label for="${id}">${name}${optional}</label><input class="text" id="${id}" data-in="${place}" data-name="${name}" aria-describedby="${id}-hint" autocomplete="off"><span class="hint" id="${id}-hint">${hint}</span></div>`;
}

const UPLOAD = 'multipart/form-data';

interface Body {
  readonly required?: boolean;
  readonly content?: Readonly<Record<string, { readonly schema?: unknown }>>;
}

export function bodyFields({ requestBody }: Operation, source: SchemaSource): Markup | undefined {
  if (requestBody === undefined) return undefined;
  const { content = {} } = source.resolve<Body>(requestBody);
  const types = Object.keys(content);
  const [schema] = Object.values(content).map((each) => each.schema);
  if (types.includes(UPLOAD))
    return html`<div class="field"><label for="file">File</label><input class="text" id="file" type="file" data-file></div>`;
  const options = types.map((type) => html`<option>${type}</option>`);
  return html`<div class="field"><label for="body-type">Media type of the body</label><select class="text" id="body-type" data-body-type>${options}</select></div>
<div class="field"><label for="body">Body</label><textarea class="text" id="body" data-body spellcheck="false" rows="12"></textarea></div>
${schema === undefined ? undefined : html`<details><summary>Members of the body</summary>${renderSchema(schema, source)}</details>`}`;
}
