// The colour scheme that was chosen, stored in the browser and sent to the gateway.
import { localStorageColorSchemeManager, type MantineColorSchemeManager } from '@mantine/core';
import { LOOK_KEY, rememberView } from './view.ts';

const stored = localStorageColorSchemeManager({ key: LOOK_KEY });

export const colorSchemes: MantineColorSchemeManager = {
  ...stored,
  set(scheme) {
    stored.set(scheme);
    rememberView();
  },
};
