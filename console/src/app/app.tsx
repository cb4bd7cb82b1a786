// The console as a tree of components: the same in the browser and at the gateway.
import { type MantineColorSchemeManager, MantineProvider } from '@mantine/core';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, useEffect } from 'react';
import type { AppRouter } from './router.tsx';
import { resolveVariables, theme } from './theme.ts';

interface AppProps {
  readonly router: AppRouter;
  readonly queries: QueryClient;
  readonly colorSchemes: MantineColorSchemeManager;
  /** Of the page's style sheets. */
  readonly nonce: string;
  /** Called once, in a browser. */
  readonly onShown?: () => void;
}

export function App({ router, queries, colorSchemes, nonce, onShown }: AppProps) {
  useEffect(() => onShown?.(), [onShown]);
  return (
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={resolveVariables}
        colorSchemeManager={colorSchemes}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>
  );
}
