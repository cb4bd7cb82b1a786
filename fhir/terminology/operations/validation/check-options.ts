// What a validation asks of each coding.
import type { Content } from '../../content/content.ts';
import type { Coding } from '../../model/code-system-model.ts';
import type { Languages } from '../languages.ts';

export interface CheckOptions {
  /** The content that must have the coding; undefined for all codes of its system. */
  readonly contentFor: ((coding: Coding) => Content) | undefined;
  /** The name of the value set in messages. */
  readonly valueSetName: string;
  readonly languages: Languages;
  /** Whether a wrong display is only a warning. */
  readonly isLenient: boolean;
  /** Whether only membership in the value set is checked. */
  readonly isMembershipOnly: boolean;
  readonly allowsAbstract: boolean;
  /** Whether it is one of several codings, of which one must be valid. */
  readonly isOneOfMany: boolean;
}
