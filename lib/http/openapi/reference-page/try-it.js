// Fills the form from the recorded examples and sends the request. Ids in the examples are of another database: where an
// earlier response of this tab had a value of the same name, that one is filled in, and otherwise the field stays empty.
const form = document.querySelector('#try');
const result = document.querySelector('#result');
const examples = JSON.parse(form.dataset.examples);
const { method, path, root } = form.dataset;
const SEEN = 'kedja-seen';
const TOKEN = 'kedja-token';
/** Ids that the recorded examples have in place of real ones. */
const EXAMPLE_ID = /01900000-0000-7000-8000-[0-9a-f]{12}/g;
const MAX_SHOWN = 200_000;

const seen = JSON.parse(sessionStorage.getItem(SEEN) ?? '{}');
const tokenField = document.querySelector('[data-token]');
const keepField = document.querySelector('[data-keep]');

/** The names under which a value of a parameter may have been seen: `{id}` of `/concepts/{id}` is a `concept_guid`. */
function namesOf(name) {
  const before = path.split(`/{${name}}`)[0].split('/').pop() ?? '';
  const singular = before.replace(/s$/, '').replaceAll('-', '_');
  return [`${before}.${name}`, name, `${singular}_guid`, `${singular}_id`];
}

function knownValue(name, example = '') {
  if (!example.match(EXAMPLE_ID) && example !== '') return example;
  for (const each of namesOf(name)) if (seen[each] !== undefined) return seen[each];
  return '';
}

/** In a body, an id stands after the name of its member, or after the type of a reference. */
function knownBody(text) {
  return text
    .replace(/"(\w+)":\s*"(01900000-0000-7000-8000-[0-9a-f]{12})"/g, (whole, name, id) =>
      whole.replace(id, seen[name] ?? id),
    )
    .replace(/(\w+)\/(01900000-0000-7000-8000-[0-9a-f]{12})/g, (whole, type, id) =>
      whole.replace(id, seen[`${type}.id`] ?? id),
    );
}

function fill(example = {}) {
  for (const field of form.querySelectorAll('[data-name]')) {
    const given = example.parameters?.[field.dataset.name];
    field.value = given === undefined && field.dataset.in !== 'path' ? '' : knownValue(field.dataset.name, given);
  }
  const body = form.querySelector('[data-body]');
  if (body === null) return;
  body.value = knownBody(example.body ?? '');
  if (example.bodyType !== undefined) form.querySelector('[data-body-type]').value = example.bodyType;
}

/** Keeps the ids of a response for the forms of other operations. */
function remember(value) {
  if (Array.isArray(value)) {
    for (const each of value.slice(0, 20).toReversed()) remember(each);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === 'object') remember(member);
    else if (/(^|_)(guid|id)$/.test(name))
      seen[name === 'id' ? `${value.resourceType ?? ''}.id` : name] = String(member);
  }
}

function requestOf() {
  const query = new URLSearchParams();
  const headers = new Headers();
  let address = path;
  for (const field of form.querySelectorAll('[data-name]')) {
    const { name, in: place } = field.dataset;
    if (place === 'path') address = address.replace(`{${name}}`, encodeURIComponent(field.value));
    else if (field.value !== '' && place === 'query') query.append(name, field.value);
    else if (field.value !== '' && place === 'header') headers.set(name, field.value);
  }
  const token = tokenField?.value.trim() ?? '';
  if (token.startsWith('kedja_')) headers.set('x-api-key', token);
  else if (token !== '') headers.set('authorization', `Bearer ${token}`);
  const body = form.querySelector('[data-body]')?.value ?? '';
  if (body !== '') headers.set('content-type', form.querySelector('[data-body-type]').value);
  const search = query.size === 0 ? '' : `?${query}`;
  const url = new URL(root + address.slice(1) + search, location.href);
  return { url, init: { method, headers, ...uploadOr(body) } };
}

/** A file is sent as the member `file` of a form; the browser names the media type with its boundary. */
function uploadOr(text) {
  const file = form.querySelector('[data-file]')?.files[0];
  if (file === undefined) return text === '' ? {} : { body: text };
  const body = new FormData();
  body.set('file', file);
  return { body };
}

async function send() {
  const { url, init } = requestOf();
  const begun = performance.now();
  const response = await fetch(url, init);
  const text = await response.text();
  const isJson = (response.headers.get('content-type') ?? '').includes('json');
  const value = isJson && text !== '' ? JSON.parse(text) : undefined;
  if (response.ok && value !== undefined) {
    remember(value);
    sessionStorage.setItem(SEEN, JSON.stringify(seen));
  }
  const took = Math.round(performance.now() - begun);
  show(
    `${response.status} ${response.statusText}, ${took} ms`,
    value === undefined ? text : JSON.stringify(value, undefined, 2),
  );
}

function show(status, text) {
  result.hidden = false;
  result.querySelector('[role=status]').textContent = status;
  result.querySelector('code').textContent = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  result.scrollIntoView({ block: 'nearest' });
}

function keepToken() {
  if (keepField.checked) sessionStorage.setItem(TOKEN, tokenField.value);
  else sessionStorage.removeItem(TOKEN);
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  send().catch((error) => show('The request could not be sent', String(error)));
});
document.querySelector('[data-example]')?.addEventListener('change', (event) => fill(examples[event.target.value]));
if (tokenField !== null) {
  tokenField.value = sessionStorage.getItem(TOKEN) ?? '';
  keepField.checked = tokenField.value !== '';
  tokenField.addEventListener('input', keepToken);
  keepField.addEventListener('change', keepToken);
}
for (const link of document.querySelectorAll('[data-sign-in]'))
  link.href = `${link.dataset.signIn}?return_to=${encodeURIComponent(location.pathname)}`;
form.querySelector('button[type=submit]').hidden = false;
fill(examples[0]);
