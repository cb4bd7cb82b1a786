// Adds an item: asks which kind, puts it at the end of the list, and opens it.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useBuilder, useTitleOf } from './builder-context.ts';
import { textFieldId } from './item-editor.tsx';
import { KindDialog } from './kind-dialog.tsx';
import { newItem, type OfferedKind } from './model/kinds.ts';
import { type Item, withInserted } from './model/tree.ts';

/** @param parent the group; undefined for the form itself */
export function AddItem({ parent }: { readonly parent: Item | undefined }) {
  const { t } = useTranslation();
  const { draft, items, open } = useBuilder();
  const titleOf = useTitleOf();
  const [isAsking, setAsking] = useState(false);
  const add = (kind: OfferedKind) => {
    const item = newItem(kind);
    const place = { parent: parent?.linkId, index: (parent === undefined ? items : (parent.item ?? [])).length };
    draft.change({ ...draft.form, item: withInserted(items, item, place) });
    open(item.linkId);
    setAsking(false);
    // After the dialog has given the focus back.
    setTimeout(() => document.getElementById(textFieldId(item.linkId))?.focus());
  };
  return (
    <>
      <Button {...(parent === undefined ? {} : { variant: 'default' })} onClick={() => setAsking(true)}>
        {parent === undefined ? t('formBuilder.add') : t('formBuilder.addIn', { title: titleOf(parent) })}
      </Button>
      {isAsking && <KindDialog onChoose={add} onClose={() => setAsking(false)} />}
    </>
  );
}
