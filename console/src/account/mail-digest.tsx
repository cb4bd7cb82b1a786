// Whether, how often and in which language one is told by mail that something waits: counts, nothing about patients.
import { NativeSelect } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { dispatch, read } from '../api/clients.ts';
import type { DispatchShapes } from '../api/shapes.ts';
import { currentLanguage } from '../i18n/i18n.ts';
import { ErrorCard } from '../shell/error-card.tsx';

const ADDRESS = '/api/v1/notifications/settings';
const OFTEN = ['off', 'hourly', 'daily'] as const;
const LANGUAGES = ['sv', 'en'] as const;
type Wish = Pick<DispatchShapes['NotificationSettings'], 'digest' | 'language'>;

/** @param email where it goes */
export function MailDigest({ email }: { readonly email: string }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const key = ['mail-digest'];
  // Who has no notifications, and who is where no mail is sent, has nothing to choose.
  const settings = useQuery({ queryKey: key, queryFn: () => read(dispatch.GET(ADDRESS)), retry: false });
  const save = useMutation({
    mutationFn: (wish: Wish) => read(dispatch.PUT(ADDRESS, { body: wish })),
    onSuccess: (saved) => queries.setQueryData(key, saved),
  });
  const { data } = settings;
  if (data?.is_available !== true) return null;
  const { digest, language } = save.isPending ? save.variables : data;
  return (
    <>
      <h2>{t('account.digest.title')}</h2>
      <div className="card">
        <p>{t('account.digest.lead', { email })}</p>
        <NativeSelect
          label={t('account.digest.often')}
          value={digest}
          disabled={save.isPending}
          onChange={({ currentTarget }) => {
            const chosen = OFTEN.find((each) => each === currentTarget.value) ?? 'off';
            save.mutate({ digest: chosen, language: digest === 'off' ? ownLanguage() : language });
          }}
          data={OFTEN.map((value) => ({ value, label: t(`account.digest.choice.${value}`) }))}
        />
        {digest !== 'off' && (
          <NativeSelect
            label={t('account.digest.language')}
            value={language}
            disabled={save.isPending}
            onChange={({ currentTarget }) => {
              const chosen = LANGUAGES.find((each) => each === currentTarget.value) ?? 'sv';
              save.mutate({ digest, language: chosen });
            }}
            data={LANGUAGES.map((value) => ({ value, label: t(`account.digest.in.${value}`) }))}
          />
        )}
        {save.error !== null && <ErrorCard error={save.error} />}
        <p className="quiet" role="status">
          {save.isSuccess && t('account.digest.saved')}
        </p>
      </div>
    </>
  );
}

function ownLanguage(): Wish['language'] {
  return currentLanguage() === 'en' ? 'en' : 'sv';
}
