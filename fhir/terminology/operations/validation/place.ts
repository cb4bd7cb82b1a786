// A concept as a validation finds it: in a version of its code system, with the value set's own members.
import type { Listed } from '../../content/content.ts';
import type { SystemView } from '../../content/system-view.ts';

export interface ConceptPlace {
  readonly view: SystemView;
  readonly place: number;
  /** The value set's own members of the code, where it lists it. */
  readonly listed: Listed | undefined;
}
