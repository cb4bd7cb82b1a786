// Reads members of terminology resources, whose shape is not known.

export type Json = Readonly<Record<string, unknown>>;

/** The objects of a list, or the one object. */
export function objects(value: unknown): Json[] {
  return (Array.isArray(value) ? value : [value]).filter(isJson);
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
