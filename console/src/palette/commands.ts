// What can be done from anywhere: the screens of one's faces, their shortcuts, and the settings.
import type baseTexts from '../i18n/sv.json';
import type { Access, Face } from '../shell/face.ts';

export interface Command {
  readonly id: string;
  readonly label: string;
  readonly detail: string;
  /** The address that it leads to, or what it does. */
  readonly to?: string;
  /** The part of the screen, by its id. */
  readonly hash?: string;
  readonly run?: () => void;
}

export interface Words {
  readonly face: (name: keyof typeof baseTexts.face) => string;
  readonly screen: (name: keyof typeof baseTexts.screen) => string;
  readonly shortcut: (name: keyof typeof baseTexts.palette.shortcut) => string;
}

export function commandsOf(faces: readonly Face[], me: Access, words: Words): Command[] {
  return faces.flatMap((face) => {
    const detail = words.face(face.nameFor?.(me) ?? face.name);
    const screens = face.screens.flatMap(({ path, label, labelFor, isFor }) =>
      label === undefined || isFor?.(me) === false
        ? []
        : [{ id: path, label: words.screen(labelFor?.(me) ?? label), detail, to: path }],
    );
    const own = (face.shortcuts ?? []).filter(({ isFor }) => isFor?.(me) !== false);
    const shortcuts = own.map(({ path, label, hash }) => ({
      id: `${path} ${label}`,
      label: words.shortcut(label),
      detail,
      to: path,
      ...(hash === undefined ? {} : { hash }),
    }));
    return [...screens, ...shortcuts];
  });
}

/** Whether each word of the text begins a word of the label; accents and case do not count. */
export function isMatch(text: string, label: string): boolean {
  const own = plain(label).split(/[\s,.:/–-]+/);
  return plain(text)
    .split(/\s+/)
    .every((word) => own.some((each) => each.startsWith(word)));
}

function plain(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().trim();
}
