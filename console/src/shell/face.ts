// A face of the console: what one kind of person works with. Each face is one file, `face.ts` in its folder, and
// ./faces.ts lists them; routes and navigation follow from it.
import { lazyRouteComponent, type RouteComponent } from '@tanstack/react-router';
import { createElement, type FunctionComponent, useEffect } from 'react';
import { announceStart } from '../app/hydration.ts';
import { loadTexts, type Texts } from '../i18n/i18n.ts';
import type baseTexts from '../i18n/sv.json';
import type { Find } from '../palette/found.ts';

export interface Screen {
  /** Its address; `$name` stands for what varies. */
  readonly path: string;
  readonly component: RouteComponent;
  /** Its name in the navigation; what is opened from another screen has none. */
  readonly label?: keyof typeof baseTexts.screen;
  /** Its name for somebody for whom it is another one. */
  readonly labelFor?: (me: Access) => keyof typeof baseTexts.screen | undefined;
  /** Who has it in the navigation, of those who have the face; all of them when left out. Services decide again. */
  readonly isFor?: (me: Access) => boolean;
}

/** What identity says of who is signed in, as far as faces follow from it. */
export interface Access {
  readonly user_type: string;
  readonly effective_phases?: readonly string[];
  readonly is_su_admin?: boolean;
  /** Whether they read the access log of every patient. */
  readonly is_privacy_officer?: boolean;
  readonly groups?: readonly { readonly is_admin: boolean }[];
  /** Of whose providers they are the staff. */
  readonly provider_staff?: readonly { readonly provider_guid: string }[];
}

/** Streams of dispatch: the worklist's is for who may not read notifications. */
export type LiveStream = 'notifications' | 'worklist';

export interface Shortcut {
  readonly path: string;
  /** The part of the screen, by its id. */
  readonly hash?: string;
  readonly label: keyof typeof baseTexts.palette.shortcut;
  /** As of a screen. */
  readonly isFor?: (me: Access) => boolean;
}

export interface Face {
  readonly name: keyof typeof baseTexts.face;
  /** What it is called for somebody for whom it is another one. */
  readonly nameFor?: (me: Access) => keyof typeof baseTexts.face | undefined;
  /** Services decide again. */
  isFor(me: Access): boolean;
  /** Whether somebody who has the face may begin there; everybody who has it when left out. */
  isHomeOf?(me: Access): boolean;
  /** What is read again when others have done something: the first parts of the keys of queries. */
  readonly live?: readonly string[];
  /** Which stream says so, for somebody; that of notifications when left out. */
  readonly streamFor?: (me: Access) => LiveStream;
  /** How the palette finds what the face shows; loaded when it is asked. */
  readonly search?: () => Promise<Find>;
  /** What the palette offers beside the screens. */
  readonly shortcuts?: readonly Shortcut[];
  /** The first is where the face begins. */
  readonly screens: readonly [Screen, ...Screen[]];
}

/** A component that is loaded when it is shown, or when its link is about to be pressed, with its texts. */
export function lazyScreen<Module extends Record<string, unknown>>(
  load: () => Promise<Module>,
  name: keyof Module & string,
  ...texts: readonly Texts[]
): RouteComponent {
  const loadAll = async () => {
    const [module] = await Promise.all([load(), ...texts.map(loadTexts)]);
    const screen = module[name] as FunctionComponent;
    const WithStart = () => {
      useEffect(announceStart, []);
      return createElement(screen);
    };
    return { [name]: WithStart };
  };
  return lazyRouteComponent(loadAll, name);
}
