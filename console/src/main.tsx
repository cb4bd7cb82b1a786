// Starts the console in the browser: texts, look, data and routes; from the first view on, where the page has one.
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
import { takeFirstView } from './app/hydration.ts';
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
  /** The first script of the page presses again what was pressed meanwhile (gateway/console/early.ts). */
  const onShown = () => void document.dispatchEvent(new Event('kedja-started'));
  const app = <App {...{ router, queries, colorSchemes, onShown }} nonce={pageNonce()} />;
  // What is typed and not sent, the gateway does not know.
  if (isRendered && !isAnythingKept()) hydrateRoot(root, app);
  else createRoot(root).render(app);
}

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no root');
void start(root);
