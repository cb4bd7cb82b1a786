// Whom a decision is about: everybody, or one that is found by its name or region.
import { useTranslation } from 'react-i18next';
import { TypeAhead } from '../../shared/type-ahead.tsx';
import type { Recipient } from './recipients.ts';
import { useFindRecipients } from './use-recipients.ts';

interface WhoFieldProps {
  readonly isForOne: boolean;
  readonly recipient: Recipient | undefined;
  readonly error: string | undefined;
  readonly onChange: (next: { readonly isForOne?: boolean; readonly recipient?: Recipient | undefined }) => void;
}

export function WhoField({ isForOne, recipient, error, onChange }: WhoFieldProps) {
  const { t } = useTranslation();
  const find = useFindRecipients();
  return (
    <>
      <fieldset className="field">
        <legend>{t('consents.who')}</legend>
        {([false, true] as const).map((one) => (
          <label key={String(one)} className="choice">
            <input
              type="radio"
              name="who"
              checked={isForOne === one}
              onChange={() => onChange({ isForOne: one, recipient: undefined })}
            />
            {t(one ? 'consents.whoOne' : 'consents.whoAll')}
          </label>
        ))}
      </fieldset>
      {isForOne && (
        <div className="field">
          <TypeAhead
            label={t('consents.find')}
            description={t('consents.findHint')}
            error={error}
            chosen={recipient?.name ?? ''}
            none={t('consents.noneFound')}
            queryKey={['consent-recipients']}
            find={async (text, signal) =>
              (await find(text, signal)).map((each) => ({
                key: each.guid,
                label: each.name,
                detail: each.place,
                value: each,
              }))
            }
            onChoose={(chosen) => onChange({ recipient: chosen })}
          />
        </div>
      )}
    </>
  );
}
