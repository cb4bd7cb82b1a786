// Starts the console: texts, look, data and routes.
import '@mantine/core/styles/baseline.css';
import '@mantine/core/styles/default-css-variables.css';
import '@mantine/core/styles/global.css';
import '@mantine/core/styles/UnstyledButton.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/Skeleton.css';
import '@mantine/core/styles/Input.css';
import './app/console.css';
import './app/work.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueries } from './app/queries.ts';
import { createAppRouter } from './app/router.tsx';
import { resolveVariables, theme } from './app/theme.ts';
import { startTexts } from './i18n/i18n.ts';

/** The gateway makes it for each page; browsers show it to scripts of the page alone. */
function pageNonce(): string {
  return document.querySelector<HTMLElement>('meta[property=csp-nonce]')?.nonce ?? '';
}

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no root');
await startTexts();
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={resolveVariables}
      defaultColorScheme="auto"
      getStyleNonce={pageNonce}
    >
      <QueryClientProvider client={createQueries()}>
        <RouterProvider router={createAppRouter()} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
