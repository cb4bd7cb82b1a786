// Starts the console in the browser: texts, colour scheme, data and routes; from the first view on, where the page has
// one.
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
import { createRoot, hydrateRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { colorSchemes } from './app/color-schemes.ts';
import { announceStart, takeFirstView } from './app/hydration.ts';
import { isAnythingKept } from './app/kept.ts';
import { createQueries } from './app/queries.ts';
import { createAppRouter } from './app/router.tsx';
import { rememberView } from './app/view.ts';
import { startTexts } from './i18n/i18n.ts';

/** The gateway makes it for each page; browsers show it to scripts of the page alone. */
function pageNonce(): string {
  return document.querySelector<HTMLElement>('meta[property=csp-nonce]')?.nonce ?? '';
}

/** Not at the top of this module: files of screens import what is here, and would wait for what waits for them. */
async function start(root: HTMLElement): Promise<void> {
  const queries = createQueries();
  const router = createAppRouter();
  const isRendered = takeFirstView(root, queries);
  // The same elements as at the gateway.
  if (isRendered) router.ssr = { manifest: undefined };
  // They are found again by components that are there at once.
  await Promise.all([startTexts(), isRendered ? router.load() : undefined]);
  rememberView();
  const app = { router, queries, colorSchemes, nonce: pageNonce() };
  // What is typed and not sent, the gateway does not know. React hydrates the screen after the shell: so the screen
  // announces the start itself (shell/face.ts).
  if (isRendered && !isAnythingKept()) hydrateRoot(root, <App {...app} />);
  else createRoot(root).render(<App {...app} onShown={announceStart} />);
}

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no root');
void start(root);
