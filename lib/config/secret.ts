// A secret value that cannot be logged by accident. It prints as [secret] in strings, JSON and inspections (spec:
// secrets are never logged). `reveal` returns it.
import { inspect } from 'node:util';

const HIDDEN = '[secret]';

export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The secret itself. Call it only where the secret is used. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [inspect.custom](): string {
    return HIDDEN;
  }
}
