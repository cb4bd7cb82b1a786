// The type of the variable that holds headers: `name=value,name=value`, with percent-encoded values, as
// OTEL_EXPORTER_OTLP_HEADERS has it.
import { Secret } from '../config/secret.ts';
import { invalid, parsed, type ValueType } from '../config/types.ts';

const NAME = /^[a-z\d!#$%&'*+.^_`|~-]+$/i;
/** What is visible in ASCII, spaces and tabs (RFC 9110 §5.5). */
const VALUE = /^[\t\x20-\x7e]*$/;
/** Headers that the request has by itself. */
const OWN: ReadonlySet<string> = new Set(['content-type', 'content-length', 'host', 'connection', 'transfer-encoding']);

/** The parts of each header are its name and its value, which is a secret. */
export function headerList(): ValueType<readonly (readonly [name: string, value: Secret])[]> {
  return {
    label: 'comma-separated list: `name=value`, values percent-encoded',
    secret: true,
    parse: (text) => {
      const headers: (readonly [string, Secret])[] = [];
      for (const [index, part] of text.split(',').entries()) {
        const found = headerOf(part.trim());
        if (found === undefined) return invalid(`entry ${index + 1} must be name=value, the value percent-encoded`);
        const [name] = found;
        if (OWN.has(name)) return invalid(`entry ${index + 1} must not be ${name}, which each request has already`);
        if (headers.some(([other]) => other === name)) return invalid(`entry ${index + 1} must not be given twice`);
        headers.push(found);
      }
      return parsed(headers);
    },
  };
}

function headerOf(text: string): readonly [string, Secret] | undefined {
  const at = text.indexOf('=');
  const [name, encoded] = [text.slice(0, at).toLowerCase().trim(), text.slice(at + 1).trim()];
  if (at < 1 || !NAME.test(name)) return undefined;
  try {
    const value = decodeURIComponent(encoded);
    return VALUE.test(value) ? [name, new Secret(value)] : undefined;
  } catch {
    return undefined;
  }
}
