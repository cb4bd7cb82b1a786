// A form as the renderer shows it, as HTML, for tests that need no browser.
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import i18next from 'i18next';
import { renderToStaticMarkup } from 'react-dom/server';
import { initReactI18next } from 'react-i18next';
import texts from '../../i18n/sv.json' with { type: 'json' };
import { type Filled, startOf } from '../filled.ts';
import type { FillableForm } from '../form.ts';
import { FormView } from '../form-view.tsx';
import { issuesOf } from '../issues.ts';

await i18next.use(initReactI18next).init({
  lng: 'sv',
  resources: { sv: { translation: texts } },
  interpolation: { escapeValue: false },
});

/** With everything that is missing or wrong named at its question. */
export function markupOf(form: FillableForm, filled: Filled = startOf(form.items)): string {
  return renderToStaticMarkup(
    <MantineProvider>
      <QueryClientProvider client={new QueryClient()}>
        <FormView
          form={form}
          filled={filled}
          issues={issuesOf(form.items, filled)}
          isReadOnly={false}
          context={{}}
          onChange={() => undefined}
        />
      </QueryClientProvider>
    </MantineProvider>,
  );
}
