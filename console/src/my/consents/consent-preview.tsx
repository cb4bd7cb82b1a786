// What a decision would change, in the words of the service, and the button that makes it.
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { dispatch, read } from '../../api/clients.ts';
import { useRequestKey } from '../../app/request-key.ts';
import { currentLanguage } from '../../i18n/i18n.ts';
import { ErrorCard } from '../../shell/error-card.tsx';
import { Loaded } from '../../shell/loaded.tsx';

/** A new decision, or the end of one. */
export type ConsentChange =
  | { readonly ends: string }
  | {
      readonly decision: 'permit' | 'deny';
      readonly organisation_guid?: string;
      readonly starts_on?: string;
      readonly ends_on?: string;
    };

interface ConsentPreviewProps {
  readonly change: ConsentChange;
  /** Whom a new decision is about. */
  readonly who?: string;
  readonly onDone: () => void;
  readonly onBack?: () => void;
}

export function ConsentPreview({ change, who, onDone, onBack = onDone }: ConsentPreviewProps) {
  const { t } = useTranslation();
  const language = currentLanguage();
  const queries = useQueryClient();
  const preview = useQuery({
    queryKey: ['consent-preview', change, language],
    queryFn: () =>
      read(dispatch.POST('/api/v1/own-consents/preview', { body: change, headers: { 'accept-language': language } })),
    gcTime: 0,
  });
  const key = useRequestKey('own-consent');
  const save = useMutation({
    mutationFn: () => saveChange(change, key.of(change)),
    onSettled: (_saved, error) => key.settled(error),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['consents'] });
      onDone();
    },
  });
  return (
    <Loaded query={preview}>
      {({ affected, unaffected, has_more: hasMore }) => (
        <div className="note">
          <h2>{t('consents.effect')}</h2>
          {!('ends' in change) && (
            <p>
              <strong>{t(`consents.${change.decision}`, { who })}</strong>. {t(`consents.${change.decision}Effect`)}
            </p>
          )}
          {affected.length === 0 ? (
            <p>{t('consents.noEffect')}</p>
          ) : (
            <ul>
              {affected.map((each) => (
                <li key={`${each.service_request_id}${each.provider_guid}`}>
                  {each.title !== null && <strong>{each.title}: </strong>}
                  {each.text}
                </li>
              ))}
            </ul>
          )}
          {unaffected > 0 && <p>{t('consents.unaffected', { count: unaffected })}</p>}
          {hasMore && <p>{t('consents.more')}</p>}
          {save.error !== null && <ErrorCard error={save.error} />}
          <p className="actions">
            <Button loading={save.isPending} onClick={() => save.mutate()}>
              {t('ends' in change ? 'consents.endNow' : 'consents.save')}
            </Button>
            <Button variant="default" onClick={onBack}>
              {t('consents.back')}
            </Button>
          </p>
        </div>
      )}
    </Loaded>
  );
}

/** `key`: a press that comes twice, or again after a lost connection, decides once. An end is one anyway. */
async function saveChange(change: ConsentChange, key: string): Promise<unknown> {
  if (!('ends' in change)) {
    const params = { header: { 'Idempotency-Key': key } };
    return read(dispatch.POST('/api/v1/own-consents', { body: change, params }));
  }
  const path = { consent_guid: change.ends };
  return read(dispatch.POST('/api/v1/own-consents/{consent_guid}/end', { params: { path } }));
}
