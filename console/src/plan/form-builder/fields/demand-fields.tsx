// Demands on an answer beyond its limits: an expression that has to hold, and what is said when it does not.
import { Button, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useBuilder, useIssue } from '../builder-context.ts';
import { type Demand, demandsOf, newDemand, withDemands } from '../model/constraints.ts';
import type { Item } from '../model/tree.ts';
import { ExpressionField } from './expression-field.tsx';
import { Switch } from './switch.tsx';

const MOST_DEMANDS = 10;

export function DemandFields({ item }: { readonly item: Item }) {
  const { t } = useTranslation();
  const { draft } = useBuilder();
  const demands = demandsOf(item);
  const set = (next: readonly Demand[], typing?: string) =>
    draft.changeItem(item.linkId, (each) => withDemands(each, next), typing);
  return (
    <>
      <p className="quiet">{t('formBuilder.demand.lead')}</p>
      {demands.map((demand, index) => (
        <DemandRow
          // biome-ignore lint/suspicious/noArrayIndexKey: a demand has no other name than its place
          key={index}
          item={item}
          index={index}
          demand={demand}
          onChange={(next, typing) => set(demands.with(index, next), typing)}
          onRemove={() => set(demands.toSpliced(index, 1))}
        />
      ))}
      <p className="actions">
        <Button
          variant="default"
          disabled={demands.length >= MOST_DEMANDS}
          onClick={() => set([...demands, newDemand()])}
        >
          {t('formBuilder.demand.add')}
        </Button>
      </p>
    </>
  );
}

interface DemandRowProps {
  readonly item: Item;
  readonly index: number;
  readonly demand: Demand;
  readonly onChange: (next: Demand, typing?: string) => void;
  readonly onRemove: () => void;
}

function DemandRow({ item, index, demand, onChange, onRemove }: DemandRowProps) {
  const { t } = useTranslation();
  const number = index + 1;
  const typing = `${item.linkId}.demand.${index}`;
  return (
    <fieldset className="rule" aria-label={t('formBuilder.demand.one', { number })}>
      <ExpressionField
        item={item}
        field={`demand.${index}`}
        label={t('formBuilder.demand.expression')}
        value={demand.expression}
        onChange={(expression) => onChange({ ...demand, expression }, `${typing}.expression`)}
      />
      <TextInput
        label={t('formBuilder.demand.message')}
        description={t('formBuilder.demand.messageHint')}
        error={useIssue(item.linkId, `message.${index}`)}
        maxLength={500}
        value={demand.message}
        onChange={({ currentTarget }) => onChange({ ...demand, message: currentTarget.value }, `${typing}.message`)}
      />
      <Switch
        label={t('formBuilder.demand.warning')}
        isOn={demand.isWarning}
        onChange={(isWarning) => onChange({ ...demand, isWarning })}
      />
      <button type="button" className="plain-button" onClick={onRemove}>
        {t('formBuilder.demand.remove', { number })}
      </button>
    </fieldset>
  );
}
