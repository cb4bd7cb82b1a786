// Follows references to components.
import { type OpenApiComponents, parseRef } from '../components.ts';

/** The value, or the component that it refers to with what is beside the reference. */
export type Resolve = <T>(value: unknown) => T;

export function resolver(find: OpenApiComponents['find']): Resolve {
  return <T>(value: unknown) => {
    const reference = parseRef(value);
    if (reference === undefined) return value as T;
    const { $ref: _, ...beside } = value as { readonly $ref: string };
    return { ...find(...reference), ...beside } as T;
  };
}
