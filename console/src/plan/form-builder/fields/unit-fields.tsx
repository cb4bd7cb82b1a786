// The units in which a value is measured; the first is offered first.
import { NativeSelect } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useUnits } from '../../library/library-queries.ts';
import { useBuilder, useIssue } from '../builder-context.ts';
import { unitsOf, withUnits } from '../model/limits.ts';
import type { Item } from '../model/tree.ts';

const UCUM = 'http://unitsofmeasure.org';

export function UnitFields({ item }: { readonly item: Item }) {
  const { t } = useTranslation();
  const { draft } = useBuilder();
  const { data } = useUnits();
  const chosen = unitsOf(item);
  const others = (data?.data ?? []).filter(({ ucum_code: code }) => !chosen.some((unit) => unit.code === code));
  const set = (units: typeof chosen) => draft.changeItem(item.linkId, (each) => withUnits(each, units));
  return (
    <>
      <NativeSelect
        label={t('formBuilder.field.addUnit')}
        error={useIssue(item.linkId, 'unit')}
        value=""
        onChange={({ currentTarget }) => {
          const unit = others.find(({ ucum_code: code }) => code === currentTarget.value);
          if (unit !== undefined) set([...chosen, { system: UCUM, code: unit.ucum_code, display: unit.name }]);
        }}
        data={[
          { value: '', label: t('formBuilder.field.chooseUnit') },
          ...others.map(({ ucum_code: value, name }) => ({ value, label: name })),
        ]}
      />
      {chosen.length > 0 && (
        <ul className="chips" aria-label={t('formBuilder.field.unit')}>
          {chosen.map(({ code, display }, index) => (
            <li key={code ?? display}>
              {display ?? code}
              <button
                type="button"
                className="plain-button"
                aria-label={t('formBuilder.field.removeUnit', { unit: display ?? code })}
                onClick={() => set(chosen.toSpliced(index, 1))}
              >
                ✕
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
