// Terminology of the engine: what a code is, what a value set holds, whether a code is in it, what a map makes of it.
// Each tab is an address, and so is what is asked.
import { useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Page } from '../../shell/page.tsx';
import { Expansion } from './expansion.tsx';
import { Questions } from './questions.tsx';
import '../fhir/fhir.css';
import { TabLinks } from '../../shared/tab-links.tsx';

const TABS = ['lookup', 'expand', 'validate', 'translate'] as const;

export function TerminologyPage() {
  const { t } = useTranslation();
  const { tab: named } = useParams({ strict: false }) as { tab?: string };
  const tab = TABS.find((each) => each === named) ?? 'lookup';
  return (
    <Page title={t('developer.terms.title')}>
      <TabLinks
        label={t('developer.terms.tabs')}
        tabs={TABS}
        root="/developer/terminology"
        textOf={(each) => t(`developer.terms.tab.${each}`)}
      />
      <p>{t(`developer.terms.lead.${tab}`)}</p>
      {tab === 'expand' ? <Expansion /> : <Questions key={tab} kind={tab} />}
    </Page>
  );
}
