// A copy of one's own data, as a file: what it holds, and the button that makes it.
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { saveBlob } from '../../api/download.ts';
import { getJson } from '../../api/fhir.ts';
import { currentLanguage } from '../../i18n/i18n.ts';
import { ErrorCard } from '../../shell/error-card.tsx';
import { Page } from '../../shell/page.tsx';
import { collectOwnCopy } from './own-copy.ts';

export function CopyPage() {
  const { t } = useTranslation();
  const [count, setCount] = useState(0);
  const leaving = useRef(new AbortController());
  useEffect(() => {
    // In development React takes a screen away once, and shows it again.
    leaving.current = new AbortController();
    return () => leaving.current.abort();
  }, []);
  const copy = useMutation({
    mutationFn: async () => {
      const { signal } = leaving.current;
      const read = (address: string) => getJson(address, signal);
      const language = currentLanguage();
      const pieces = await collectOwnCopy({ read, language, now: () => new Date(), onProgress: setCount });
      const name = `${t('ownCopy.file')}-${new Date().toISOString().slice(0, 10)}.json`;
      saveBlob(new Blob([...pieces], { type: 'application/json' }), name);
    },
  });
  const begin = () => {
    setCount(0);
    copy.mutate();
  };
  return (
    <Page title={t('ownCopy.title')}>
      <p>{t('ownCopy.lead')}</p>
      <ul>
        {(['care', 'forms', 'decisions', 'log', 'account'] as const).map((part) => (
          <li key={part}>{t(`ownCopy.has.${part}`)}</li>
        ))}
      </ul>
      <p>{t('ownCopy.form')}</p>
      <p className="note">{t('ownCopy.keep')}</p>
      <p className="actions">
        <Button loading={copy.isPending} onClick={begin}>
          {t('ownCopy.make')}
        </Button>
      </p>
      <p role="status">
        {copy.isPending && t('ownCopy.reading', { count })}
        {copy.isSuccess && t('ownCopy.made', { count })}
      </p>
      {copy.error !== null && <ErrorCard error={copy.error} onRetry={begin} />}
      <h2>{t('ownCopy.wrong.title')}</h2>
      <p>
        {t('ownCopy.wrong.text')} <Link to="/my/log">{t('ownCopy.wrong.log')}</Link>
      </p>
    </Page>
  );
}
