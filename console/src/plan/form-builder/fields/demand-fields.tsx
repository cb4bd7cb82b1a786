// Demands on an answer beyond its limits: an expression that has to hold, and what is said when it does not.
import { TextInput } from '@mantine/core';
import type { Extension } from 'fhir/r5';
import { useTranslation } from 'react-i18next';
import { CheckBox } from '../../../shared/fields/check-box.tsx';
import { useIssue } from '../builder-context.ts';
import { type Demand, demandsOf, newDemand, withDemands } from '../model/constraints.ts';
import { ExpressionField } from './expression-field.tsx';
import { type RowProps, Rows } from './rows.tsx';

const MOST_DEMANDS = 10;

/** What holds demands and named values: an item, or the form itself. */
export interface Holder {
  readonly element: { readonly extension?: Extension[] | undefined };
  /** Undefined for the form. */
  readonly linkId: string | undefined;
  readonly change: (
    changed: <Of extends { readonly extension?: Extension[] | undefined }>(element: Of) => Of,
    typing?: string,
  ) => void;
}

export function DemandFields({ element, linkId, change }: Holder) {
  const { t } = useTranslation();
  return (
    <>
      <p className="quiet">{t('formBuilder.demand.lead')}</p>
      <Rows
        values={demandsOf(element)}
        onChange={(next, typing) => change((each) => withDemands(each, next), typing)}
        most={MOST_DEMANDS}
        added={newDemand}
        addLabel={t('formBuilder.demand.add')}
      >
        {(row) => <DemandRow key={row.index} linkId={linkId} {...row} />}
      </Rows>
    </>
  );
}

function DemandRow({ linkId, index, value: demand, onChange, onRemove }: RowProps<Demand> & Pick<Holder, 'linkId'>) {
  const { t } = useTranslation();
  const number = index + 1;
  const typing = `${linkId ?? ''}.demand.${index}`;
  return (
    <fieldset className="rule" aria-label={t('formBuilder.demand.one', { number })}>
      <ExpressionField
        item={{ linkId }}
        field={`demand.${index}`}
        label={t('formBuilder.demand.expression')}
        value={demand.expression}
        onChange={(expression) => onChange({ ...demand, expression }, `${typing}.expression`)}
      />
      <TextInput
        label={t('formBuilder.demand.message')}
        description={t('formBuilder.demand.messageHint')}
        error={useIssue(linkId, `message.${index}`)}
        maxLength={500}
        value={demand.message}
        onChange={({ currentTarget }) => onChange({ ...demand, message: currentTarget.value }, `${typing}.message`)}
      />
      <CheckBox
        label={t('formBuilder.demand.warning')}
        isChecked={demand.isWarning}
        onChange={(isWarning) => onChange({ ...demand, isWarning })}
      />
      <button type="button" className="plain-button" onClick={onRemove}>
        {t('formBuilder.demand.remove', { number })}
      </button>
    </fieldset>
  );
}
