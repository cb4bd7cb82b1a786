// The settings of a process as its administrators see them: each variable with its value, where the value came from,
// and what it means (docs/adr/0107). The meaning is that of the declaration, of which docs/reference/configuration.md
// is generated too. The value of a secret is not part of it.
import Type, { type Static } from 'typebox';
import type { Environment } from './environment.ts';
import { FILE_SUFFIX, type Sections } from './parse.ts';
import type { Mode, Variable } from './section.ts';

const SETTING_SOURCES = ['environment', 'env_file', 'secret_file', 'default', 'unset'] as const;

export const Setting = Type.Object(
  {
    name: Type.String(),
    section: Type.String({ description: 'Its heading on the reference page' }),
    meaning: Type.String({ description: 'In English, as on the reference page' }),
    type: Type.String(),
    is_secret: Type.Boolean(),
    is_set: Type.Boolean({ description: 'Whether there is a value: one that was given, or a default' }),
    value: Type.Union([Type.String(), Type.Null()], {
      description: 'In the form of the environment; null for a secret',
    }),
    source: Type.Enum([...SETTING_SOURCES], {
      description:
        '`environment` of the process, `env_file` (.env), `secret_file` (the file that NAME_FILE names), `default`, or `unset`',
    }),
    default: Type.Union([Type.String(), Type.Null()]),
    when_unset: Type.Union([Type.String(), Type.Null()], { description: 'What holds without a value' }),
  },
  { title: 'Setting' },
);
export type Setting = Static<typeof Setting>;

export const Settings = Type.Object(
  {
    reference: Type.String({ description: 'The page of the reference that explains all of them' }),
    settings: Type.Array(Setting),
  },
  { title: 'Settings' },
);

export const SETTINGS_REFERENCE = 'docs/reference/configuration.md';

export interface SettingsSource {
  /** Of the process, without the `.env` file. */
  readonly process: Environment;
  /** With the `.env` file beneath it. */
  readonly all: Environment;
  readonly mode: Mode;
}

/** The settings of each section, by the name of the section. */
export function describeSettings<S extends Sections>(
  sections: S,
  source: SettingsSource,
): Readonly<Record<keyof S, readonly Setting[]>> {
  const described = Object.entries(sections).map(([name, { title, variables }]) => [
    name,
    Object.values(variables).map((variable) => describe(variable, title, source)),
  ]);
  return Object.fromEntries(described);
}

function describe(variable: Variable, section: string, given: SettingsSource): Setting {
  const { env: name, description: meaning, label: type, secret: isSecret } = variable;
  const source = sourceOf(variable, given);
  const fallback = variable.defaultTexts[given.mode];
  const shown = source === 'default' ? fallback : given.all[name]?.trim();
  return {
    name,
    section,
    meaning,
    type,
    is_secret: isSecret,
    is_set: source !== 'unset',
    value: isSecret || source === 'unset' ? null : (shown ?? null),
    source,
    default: isSecret || fallback === undefined || fallback === '' ? null : fallback,
    when_unset: variable.whenUnset ?? null,
  };
}

function sourceOf({ env, secret, defaultTexts }: Variable, { process, all, mode }: SettingsSource): Setting['source'] {
  if (isGiven(all[env])) return isGiven(process[env]) ? 'environment' : 'env_file';
  if (secret && isGiven(all[env + FILE_SUFFIX])) return 'secret_file';
  return isGiven(defaultTexts[mode]) ? 'default' : 'unset';
}

/** An empty value counts as not given. */
function isGiven(text: string | undefined): boolean {
  return text !== undefined && text.trim() !== '';
}
