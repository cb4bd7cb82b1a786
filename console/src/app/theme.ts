// The theme of the console: Mantine with the colours of every other page (lib/html/tokens.ts).
import { type CSSVariablesResolver, createTheme } from '@mantine/core';
import { type ColourToken, DARK, LIGHT } from '../../../lib/html/tokens.ts';

const TARGET = '2.75rem';

export const theme = createTheme({
  fontFamily: 'system-ui, sans-serif',
  fontSizes: { sm: '0.9375rem', md: '1.0625rem' },
  headings: { fontFamily: 'system-ui, sans-serif' },
  defaultRadius: 'sm',
  focusRing: 'auto',
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    Button: { defaultProps: { h: 'auto', mih: TARGET, py: 'xs' } },
    TextInput: { defaultProps: { size: 'md' } },
    Textarea: { defaultProps: { size: 'md', autosize: false } },
    NativeSelect: { defaultProps: { size: 'md' } },
  },
});

export const resolveVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: { ...variablesOf(LIGHT), '--mantine-color-gray-4': LIGHT.line },
  dark: { ...variablesOf(DARK), '--mantine-color-dark-4': DARK.line, '--mantine-color-dark-6': DARK.card },
});

function variablesOf(colours: Readonly<Record<ColourToken, string>>): Record<string, string> {
  const own = Object.entries(colours).map(([name, value]) => [`--${name}`, value]);
  return {
    ...Object.fromEntries(own),
    '--mantine-color-body': colours.ground,
    '--mantine-color-text': colours.ink,
    '--mantine-color-dimmed': colours.muted,
    '--mantine-color-anchor': colours.accent,
    '--mantine-color-bright': colours.ink,
    '--mantine-color-default': colours.card,
    '--mantine-color-default-hover': colours.tint,
    '--mantine-color-default-color': colours.ink,
    '--mantine-color-default-border': colours.line,
    '--mantine-color-placeholder': colours.muted,
    '--mantine-color-error': colours.bad,
    // A button that names its variant takes the colour by its name.
    '--mantine-color-blue-filled': colours.accent,
    '--mantine-color-blue-filled-hover': colours.accent,
    '--mantine-primary-color-filled': colours.accent,
    '--mantine-primary-color-filled-hover': colours.accent,
    '--mantine-primary-color-light': colours.tint,
    '--mantine-primary-color-light-hover': colours.tint,
    '--mantine-primary-color-light-color': colours.accent,
    '--mantine-primary-color-contrast': colours['on-accent'],
    '--mantine-color-white': colours['on-accent'],
  };
}
